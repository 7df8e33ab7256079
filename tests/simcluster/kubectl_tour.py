"""Runs tables of kubectl commands against an embedded cluster and a scheduler, each a process of its own."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

KUBECTL = os.environ.get("TENANTRY_KUBECTL") or shutil.which("kubectl")
"""The kubectl to drive: $TENANTRY_KUBECTL, else the one on the PATH; None where there is none."""
OLDEST = (1, 20)
"""The oldest kubectl that the tables are written for."""
_PAUSE = 0.2
"""Seconds between two tries of a step with patience."""


@dataclass(frozen=True)
class Step:
    """One kubectl command, and what has to come of it."""

    command: str
    """Arguments, as in a shell. `{ns}` is the chapter's namespace, `{old:X}` is X before 1.25, `{new:X}` since."""
    expect: str = ""
    """Pattern to be found in what is printed (`^` and `$` match at lines)."""
    code: int = 0
    """Exit code."""
    text: str = ""
    """Standard input."""
    absent: str = ""
    """Pattern not to be found in what is printed; empty for none."""
    since: tuple[int, int] = OLDEST
    """The first kubectl that has the command."""
    broken: str = ""
    """Why the cluster does not do it right yet; a broken step that comes true is an error."""
    patience: float = 0.0
    """Seconds in which to try again until it comes true: for what controllers bring about."""


@dataclass(frozen=True)
class Chapter:
    """Steps that build on one another, in a namespace of their own."""

    name: str
    steps: Sequence[Step]


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    printed: str


class Kubectl:
    """Runs kubectl with a kubeconfig and a home of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.version = self._find_version()

    def __call__(self, *arguments: str, text: str = "") -> Done:
        """Run one command; both outputs are put together. Raises TimeoutExpired after 40 seconds."""
        assert KUBECTL is not None
        environment = {
            "KUBECONFIG": str(self._folder / "kubeconfig"),
            "HOME": str(self._folder),
            "PATH": "/usr/bin:/bin",
        }
        done = subprocess.run(
            [KUBECTL, *arguments],
            input=text,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=self._folder,
            env=environment,
            timeout=40,
            check=False,
        )
        return Done(done.returncode, done.stdout)

    def _find_version(self) -> tuple[int, int]:
        printed = self("version", "--client", "-o", "json").printed
        found = json.loads(printed)["clientVersion"]
        return int(found["major"]), int(re.sub(r"\D", "", found["minor"]))

    def follow(self, chapter: Chapter) -> list[str]:
        """Take every step that this kubectl has; returns what went wrong, one text for each step."""
        namespace = f"tour-{chapter.name}"
        self("create", "namespace", namespace)
        wrong = []
        for number, step in enumerate(chapter.steps, 1):
            if self.version < step.since:
                continue
            problem = self._take(step, namespace)
            if step.broken:
                problem = "" if problem else f"works, although marked as broken: {step.broken}"
            if problem:
                wrong.append(f"step {number}, kubectl {step.command}: {problem}")
        return wrong

    def _take(self, step: Step, namespace: str) -> str:
        command = step.command.replace("{ns}", namespace)
        old = self.version < (1, 25)
        command = re.sub(r"\{old:(.*?)\}", r"\1" if old else "", command)
        command = re.sub(r"\{new:(.*?)\}", "" if old else r"\1", command)
        # kubectl takes its own flags before a plain `--` alone, so the namespace comes first.
        arguments = ["-n", namespace, *shlex.split(command)]
        end = time.monotonic() + step.patience
        while True:
            done = self(*arguments, text=step.text.replace("{ns}", namespace))
            problem = _judge(step, done)
            if not problem or time.monotonic() > end:
                return problem
            time.sleep(_PAUSE)


def _judge(step: Step, done: Done) -> str:
    if done.code != step.code:
        return f"exit code {done.code} in place of {step.code}\n{done.printed}"
    if step.expect and not re.search(step.expect, done.printed, re.MULTILINE):
        return f"nothing like {step.expect!r} in\n{done.printed}"
    if step.absent and re.search(step.absent, done.printed, re.MULTILINE):
        return f"{step.absent!r} is in\n{done.printed}"
    return ""


@contextmanager
def cluster_and_scheduler(folder: Path) -> Iterator[None]:
    """Serve three nodes with every controller, and schedule; the kubeconfig is `kubeconfig` in the folder."""
    kubeconfig = folder / "kubeconfig"
    serve = ["tenantry_sim", "--nodes", "3", "--controllers", "all", "--kubeconfig-out", str(kubeconfig)]
    schedule = ["tenantry", "run", "--kubeconfig", str(kubeconfig), "--no-leader-elect", "--metrics-bind", ""]
    with _process(serve, folder / "server.log") as server:
        _printed(server, folder / "server.log", "serving at")
        with _process(schedule, folder / "scheduler.log"):
            yield


@contextmanager
def _process(module: list[str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("wb") as file, subprocess.Popen([sys.executable, "-m", *module], stdout=file, stderr=file) as process:
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()


def _printed(process: subprocess.Popen[bytes], log: Path, text: str, seconds: float = 30.0) -> None:
    """Wait until a process has printed a text. Raises RuntimeError when it ends or takes too long."""
    end = time.monotonic() + seconds
    while text not in log.read_text():
        if process.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"the process never printed {text!r}: {log.read_text()}")
        time.sleep(0.02)
