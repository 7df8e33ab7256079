"""The gate: where a verb meets the webhooks.

A verb changes the store in one synchronous step, a webhook takes time. So a verb that comes to a webhook is broken off
before it has stored anything, the webhook is asked, and the verb runs again from the start with the answers at hand.
An answer counts as long as the object that was asked about comes out the same; if somebody changed it meanwhile, the
webhook is asked again, as a real server does after a conflict.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from tenantry_sim.api.call import Answer, Call, Operation, Suspended, check_shape
from tenantry_sim.cel import CelError
from tenantry_sim.kinds.events import to_stored, to_view
from tenantry_sim.kinds.registry import rules_of
from tenantry_sim.status import ApiError, bad_request, internal, qualified
from tenantry_sim.store.records import Object, encode
from tenantry_sim.store.resource import Resource
from tenantry_sim.webhooks import patching
from tenantry_sim.webhooks.caller import Caller
from tenantry_sim.webhooks.hooks import Hook, Hooks
from tenantry_sim.webhooks.review import CallFailed, Question, Verdict, failure, read_answer
from tenantry_sim.world import World

_MOST_RUNS = 50
_decode = msgspec.json.Decoder(dict[str, Any]).decode


@dataclass
class _Step:
    """One meeting of the verb with the webhooks of one sort."""

    question: Question
    hooks: list[tuple[Hook, Resource]]
    mutating: bool
    shape: bytes
    result: bytes = b""
    refusal: ApiError | None = None


class _Pending(Suspended):
    """The verb cannot go on before the webhooks have been asked."""

    def __init__(self, gate: "WebhookGate", step: _Step) -> None:
        super().__init__()
        self._gate = gate
        self._step = step

    async def resume(self) -> None:
        await self._gate.ask(self._step)


@dataclass
class WebhookGate:
    """The webhooks' part in one request; see `tenantry_sim.api.call.Gate`."""

    world: World
    hooks: Hooks
    caller: Caller
    user: dict[str, Any]
    guard: Callable[[Call, Object, Object | None], None] | None = None
    """A check of the server's own on the object as it is to be stored; raises ApiError."""
    warnings: list[str] = field(default_factory=list)
    """Texts for the answer's Warning headers, in order, each once."""
    _steps: list[_Step] = field(default_factory=list)
    _at: int = 0
    _identity: dict[str, Any] = field(default_factory=dict)

    def rewind(self) -> None:
        """Before the verb runs (again)."""
        self._at = 0

    def settle(self, metadata: dict[str, Any]) -> None:
        if not self._identity:
            self._identity = {key: metadata[key] for key in ("uid", "creationTimestamp", "name")}
        elif not metadata.get("generateName") and metadata["name"] != self._identity["name"]:
            return
        metadata.update(self._identity)

    def mutate(self, call: Call, operation: Operation, obj: Object | None, old: Object | None) -> Object:
        step = self._meet(True, Question(call, operation, obj, old, self.user))
        return _decode(step.result) if step is not None and obj is not None else obj or {}

    def validate(self, call: Call, operation: Operation, obj: Object | None, old: Object | None) -> None:
        if self.guard is not None and obj is not None:
            self.guard(call, obj, old)
        self._meet(False, Question(call, operation, obj, old, self.user))

    def _meet(self, mutating: bool, question: Question) -> _Step | None:
        call, chosen = question.call, []
        rows = self.hooks.rows(call.resource)
        for hook in self.hooks.mutating if mutating else self.hooks.validating:
            target = hook.target(rows, call.subresource, question.operation)
            if target is not None and self._in_scope(hook, question):
                chosen.append((hook, target))
        if not chosen:
            return None
        shape = encode([mutating, question.operation, call.subresource, call.namespace, question.obj, question.old])
        if self._at < len(self._steps) and self._steps[self._at].shape == shape:
            step = self._steps[self._at]
            self._at += 1
            if step.refusal is not None:
                raise step.refusal
            return step
        del self._steps[self._at :]
        raise _Pending(self, _Step(question, chosen, mutating, shape))

    def _in_scope(self, hook: Hook, question: Question) -> bool:
        """Whether the object's namespace is one that the webhook selects."""
        call = question.call
        if call.resource.key == "/namespaces" and not call.subresource and question.obj is not None:
            return hook.namespaces(question.obj["metadata"].get("labels") or {})
        space = question.name if call.resource.key == "/namespaces" else call.namespace
        if not space:
            return True
        record = self.world.find("/namespaces", space)
        return record is not None and hook.namespaces(record.labels)

    async def ask(self, step: _Step) -> None:
        """Ask the webhooks that the verb is waiting for and keep what came out."""
        try:
            if step.mutating:
                await self._ask_in_turn(step)
            else:
                await self._ask_at_once(step)
        except ApiError as refusal:
            step.refusal = refusal
        step.result = encode(step.question.obj)
        self._steps.append(step)

    async def _ask_in_turn(self, step: _Step) -> None:
        """Mutating webhooks one after the other, then those that want to see what later ones changed."""
        asked: set[str] = set()
        again: set[str] = set()
        for hook, target in step.hooks:
            changed = await self._change(step.question, hook, target)
            if changed:
                again |= asked
            if hook.reinvoked:
                asked.add(hook.key)
        for hook, target in step.hooks:
            if hook.key in again:
                await self._change(step.question, hook, target)

    async def _change(self, question: Question, hook: Hook, target: Resource) -> bool:
        """Ask one mutating webhook and do what it says; True when the object is another afterwards."""
        verdict = await self._ask(question, hook, target)
        if verdict is None or not verdict.patch:
            return False
        if question.obj is None:
            what = "attempted to modify the object, which is not supported for this operation"
            raise internal(f'admission webhook "{hook.name}" {what}')
        before = encode(question.obj)
        head = {"kind": target.kind, "apiVersion": target.api_version}
        patched = patching.apply({**head, **to_view(target, _decode(before))}, verdict.patch)
        question.obj = _normal(question.call, target, patched)
        return encode(question.obj) != before

    async def _ask_at_once(self, step: _Step) -> None:
        """Validating webhooks side by side; of several refusals the first in order counts."""
        asked = [self._ask(step.question, hook, target) for hook, target in step.hooks]
        for found in await asyncio.gather(*asked, return_exceptions=True):
            if isinstance(found, BaseException):
                raise found

    async def _ask(self, question: Question, hook: Hook, target: Resource) -> Verdict | None:
        """Ask one webhook; None when it need not be asked or may be left unheard. Raises ApiError for a refusal."""
        uid = self.world.uid()
        request = question.request(target, uid)
        if not _wants(hook, question, request):
            return None
        if question.call.dry_run and hook.side_effects not in ("None", "NoneOnDryRun"):
            raise bad_request(f'admission webhook "{hook.name}" does not support dry run')
        body = encode({"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": request})
        try:
            answer = await self.caller.call(hook.client, hook.seconds, body)
            verdict = read_answer(answer, uid, hook.name, hook.mutating)
        except CallFailed as problem:
            if hook.fails_closed:
                raise failure(hook.name, str(problem)) from None
            return None
        self.warnings += [w for w in verdict.warnings if w not in self.warnings]
        if verdict.refusal is not None:
            raise verdict.refusal
        return verdict


def _wants(hook: Hook, question: Question, request: dict[str, Any]) -> bool:
    """Whether labels and match conditions let the webhook see the object. Raises ApiError 403 for a failing one."""
    shown = [o for o in (question.obj, question.old) if o is not None]
    if shown and not any(hook.objects((o.get("metadata") or {}).get("labels") or {}) for o in shown):
        return False
    if not hook.conditions:
        return True
    about = {key: value for key, value in request.items() if key not in ("object", "oldObject")}
    values = {"object": request["object"], "oldObject": request["oldObject"], "request": about}
    problem = ""
    for name, program in hook.conditions:
        try:
            if isinstance(program, CelError):
                raise program
            if program.evaluate(values) is not True:
                return False
        except CelError as found:
            problem = problem or f"match condition '{name}' failed: {found}"
    if problem and not hook.fails_closed:
        return False
    if problem:
        resource, name = question.call.resource, question.name
        text = f'{qualified(resource.plural, resource.group)} "{name}" is forbidden: {problem}'
        group = {"group": resource.group} if resource.group else {}
        raise ApiError(403, "Forbidden", text, {"name": name, **group, "kind": resource.plural})
    return True


def _normal(call: Call, target: Resource, patched: Object) -> Object:
    """A patched object with its defaults. Raises ApiError 500 when it is no longer one of its kind."""
    patched.pop("kind", None)
    patched.pop("apiVersion", None)
    try:
        check_shape(target, patched)
    except ApiError as problem:
        raise internal(problem.message) from None
    obj = to_stored(target, patched)
    if not call.subresource:
        rules_of(call.resource).default(obj)
    return obj


async def run_admitted(gate: WebhookGate, call: Call, verb: Callable[[World, Call], Answer]) -> Answer:
    """Run a verb that webhooks may have a say in. Raises ApiError."""
    call.gate = gate
    for _ in range(_MOST_RUNS):
        gate.rewind()
        try:
            return verb(gate.world, call)
        except Suspended as wait:
            await wait.resume()
    raise ApiError(500, "InternalError", "Internal error occurred: the object kept changing while webhooks were asked")
