"""The arithmetic of a deployment's rolling update, as functions over decoded objects."""

import hashlib
import json
import math
from typing import Any

from tenantry_sim.clock import parse_stamp, stamp
from tenantry_sim.controllers.writes import condition_of, put_condition
from tenantry_sim.store.records import Object

HASH = "pod-template-hash"
_LETTERS = "bcdfghjklmnpqrstvwxz2456789"


def template_hash(template: Object, collisions: int = 0) -> str:
    """A short name for a pod template; equal templates have equal names."""
    text = json.dumps([template, collisions], sort_keys=True).encode()
    number = int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")
    letters = []
    for _ in range(10):
        number, at = divmod(number, len(_LETTERS))
        letters.append(_LETTERS[at])
    return "".join(letters)


def _bare(template: Object) -> Object:
    metadata = dict(template.get("metadata") or {})
    labels = {k: v for k, v in (metadata.pop("labels", None) or {}).items() if k != HASH}
    metadata.pop("creationTimestamp", None)
    return {"metadata": {**metadata, "labels": labels}, "spec": template.get("spec")}


def matching(obj: Object, sets: list[Object]) -> Object | None:
    """The set made from the deployment's present template; the oldest if there are several."""
    wanted = _bare(obj["spec"]["template"])
    found = [s for s in sets if _bare(s["spec"]["template"]) == wanted]
    return min(found, key=lambda s: (s["metadata"]["creationTimestamp"], s["metadata"]["name"]), default=None)


def revision(replica_set: Object, annotation: str) -> int:
    text = (replica_set["metadata"].get("annotations") or {}).get(annotation, "0")
    return int(text) if text.isdigit() else 0


def portion(value: Any, total: int, up: bool) -> int:
    """A number, or a percentage of `total`, rounded up or down."""
    if isinstance(value, int):
        return value
    text = str(value).removesuffix("%")
    exact = int(text) * total / 100 if text.isdigit() else 0
    return math.ceil(exact) if up else math.floor(exact)


def _bounds(obj: Object) -> tuple[int, int]:
    """(surge, unavailable). Both at nought would never move, so that one may be unavailable then."""
    spec = obj["spec"]
    if spec["strategy"]["type"] != "RollingUpdate":
        return 0, 0
    rolling, total = spec["strategy"].get("rollingUpdate") or {}, spec.get("replicas", 1)
    more = portion(rolling.get("maxSurge", "25%"), total, True)
    fewer = portion(rolling.get("maxUnavailable", "25%"), total, False)
    return more, min(fewer if more or fewer else 1, total)


def surge(obj: Object) -> int:
    return _bounds(obj)[0]


def _total(sets: list[Object]) -> int:
    return sum(int(s["spec"]["replicas"]) for s in sets)


def _available(sets: list[Object]) -> int:
    return sum(int(s.get("status", {}).get("availableReplicas", 0)) for s in sets)


def room_for_new(obj: Object, size: int, old: list[Object]) -> int:
    """How many replicas the new set may have now."""
    wanted = int(obj["spec"].get("replicas", 1))
    if obj["spec"]["strategy"]["type"] == "Recreate":
        return size if old and _total(old) else wanted
    most = wanted + surge(obj)
    present = size + _total(old)
    return size if present >= most else size + min(most - present, wanted - size)


def shrink_old(obj: Object, new: Object, old: list[Object]) -> list[tuple[Object, int]]:
    """Old sets that may lose replicas now, and what remains of them: first those that are not available anyway."""
    busy = sorted((s for s in old if s["spec"]["replicas"]), key=lambda s: s["metadata"]["creationTimestamp"])
    wanted = int(obj["spec"].get("replicas", 1))
    least = wanted - _bounds(obj)[1]
    missing_new = new["spec"]["replicas"] - new.get("status", {}).get("availableReplicas", 0)
    spare = _total(busy) + new["spec"]["replicas"] - least - max(missing_new, 0)
    if spare <= 0:
        return []
    left = {s["metadata"]["name"]: int(s["spec"]["replicas"]) for s in busy}
    for replica_set in busy:
        name = replica_set["metadata"]["name"]
        broken = left[name] - replica_set.get("status", {}).get("availableReplicas", 0)
        drop = max(min(spare, broken), 0)
        left[name] -= drop
        spare -= drop
    room = _available([*busy, new]) - least
    for replica_set in busy:
        name = replica_set["metadata"]["name"]
        drop = max(min(room, left[name]), 0)
        left[name] -= drop
        room -= drop
    return [(s, left[s["metadata"]["name"]]) for s in busy if left[s["metadata"]["name"]] != s["spec"]["replicas"]]


def scaled(obj: Object, sets: list[Object], annotation: str) -> bool:
    """Whether the deployment's own number changed since the sets with replicas were sized."""
    wanted = str(obj["spec"].get("replicas", 1))
    busy = [s for s in sets if s["spec"]["replicas"]]
    notes = [(s["metadata"].get("annotations") or {}).get(annotation) for s in busy]
    return any(note is not None and note != wanted for note in notes)


def shares(obj: Object, new: Object | None, old: list[Object], annotation: str) -> list[tuple[Object, int]]:
    """Sizes after a scaling: one set takes all; of several each takes its part, the largest what is left over."""
    wanted = int(obj["spec"].get("replicas", 1))
    sets = [s for s in (new, *old) if s is not None]
    busy = [s for s in sets if s["spec"]["replicas"]]
    if len(busy) <= 1:
        chosen = busy[0] if busy else new
        return [] if chosen is None else [(chosen, wanted)]
    allowed = wanted + surge(obj) if wanted else 0
    difference = allowed - _total(busy)
    busy.sort(key=lambda s: (-s["spec"]["replicas"], s["metadata"]["creationTimestamp"]))
    before = int((busy[0]["metadata"].get("annotations") or {}).get(annotation, _total(busy)) or 1)
    sizes = {}
    for s in busy:
        part = round(s["spec"]["replicas"] * allowed / before) - s["spec"]["replicas"]
        step = max(min(part, difference), 0) if difference > 0 else min(max(part, difference), 0)
        sizes[s["metadata"]["name"]] = s["spec"]["replicas"] + step
        difference -= step
    first = busy[0]["metadata"]["name"]
    sizes[first] = max(sizes[first] + difference, 0)
    return [(s, sizes[s["metadata"]["name"]]) for s in busy]


def complete(obj: Object) -> bool:
    """Every replica is of the present template, available, and none is left of the others."""
    status, wanted = obj.get("status", {}), obj["spec"].get("replicas", 1)
    counts = [status.get(key, 0) for key in ("updatedReplicas", "replicas", "availableReplicas")]
    return counts == [wanted] * 3 and status.get("observedGeneration", 0) >= obj["metadata"].get("generation", 0)


def status(obj: Object, sets: list[Object], now: float) -> tuple[Object, float | None]:
    """The status, and seconds until the progress deadline must be looked at."""
    new = matching(obj, sets)
    spec, before = obj["spec"], obj.get("status", {})
    total = sum(s.get("status", {}).get("replicas", 0) for s in sets)
    counts = {
        "replicas": total,
        "updatedReplicas": new.get("status", {}).get("replicas", 0) if new is not None else 0,
        "readyReplicas": sum(s.get("status", {}).get("readyReplicas", 0) for s in sets),
        "availableReplicas": _available(sets),
        "unavailableReplicas": max(_total(sets) - _available(sets), 0),
    }
    after: Object = {"observedGeneration": obj["metadata"].get("generation", 0)}
    after.update({key: count for key, count in counts.items() if count})
    if before.get("collisionCount"):
        after["collisionCount"] = before["collisionCount"]
    after["conditions"] = [dict(c) for c in before.get("conditions") or ()]
    _judge_available(after, int(spec.get("replicas", 1)) - _bounds(obj)[1], now)
    return after, _judge_progress(obj, new, after, now)


def _judge_available(after: Object, least: int, now: float) -> None:
    enough = after.get("availableReplicas", 0) >= least
    condition = {
        "type": "Available",
        "status": "True" if enough else "False",
        "reason": "MinimumReplicasAvailable" if enough else "MinimumReplicasUnavailable",
        "message": f"Deployment {'has' if enough else 'does not have'} minimum availability.",
    }
    put_condition(after, condition, stamp(now), updates=True)


def _judge_progress(obj: Object, new: Object | None, after: Object, now: float) -> float | None:
    spec, name = obj["spec"], obj["metadata"]["name"]
    present = condition_of(after, "Progressing")
    what = f'ReplicaSet "{new["metadata"]["name"]}"' if new is not None else f'Deployment "{name}"'

    def put(state: str, reason: str, message: str) -> None:
        condition = {"type": "Progressing", "status": state, "reason": reason, "message": message}
        put_condition(after, condition, stamp(now), updates=True)

    if spec.get("paused"):
        put("Unknown", "DeploymentPaused", "Deployment is paused")
        return None
    if complete({**obj, "status": after}):
        put("True", "NewReplicaSetAvailable", f"{what} has successfully progressed.")
        return None
    if present is not None and present["reason"] == "DeploymentPaused":
        put("Unknown", "DeploymentResumed", "Deployment is resumed")
    moved = _moved(obj.get("status", {}), after)
    if present is None or moved or present["reason"] == "NewReplicaSetAvailable":
        reason = "ReplicaSetUpdated" if present is not None else "NewReplicaSetCreated"
        others = [c for c in after["conditions"] if c["type"] != "Progressing"]
        after["conditions"] = others
        put("True", reason, f"{what} is progressing.")
        if present is not None and present["status"] == "True":
            after["conditions"][-1]["lastTransitionTime"] = present.get("lastTransitionTime", stamp(now))
    deadline = float(spec.get("progressDeadlineSeconds", 600))
    current = condition_of(after, "Progressing") or {}
    left = parse_stamp(current["lastUpdateTime"]) + deadline - now
    if left <= 0 and current.get("reason") != "ProgressDeadlineExceeded":
        put("False", "ProgressDeadlineExceeded", f"{what} has timed out progressing.")
    return left if left > 0 else None


def _moved(before: Object, after: Object) -> bool:
    """Progress: more updated, ready or available replicas, or fewer old ones."""
    gains = any(after.get(k, 0) > before.get(k, 0) for k in ("updatedReplicas", "readyReplicas", "availableReplicas"))
    old_before = before.get("replicas", 0) - before.get("updatedReplicas", 0)
    old_after = after.get("replicas", 0) - after.get("updatedReplicas", 0)
    return gains or old_after < old_before
