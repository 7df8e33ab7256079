"""YAML (or JSON) text to a Config, or to every error in it.

A file holds a KubeSchedulerConfiguration, a TenantryConfiguration, or both as two documents, in any order.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

import yaml

from tenantry_core.config.args import ARGS_BY_PLUGIN, CPU_AND_MEMORY, NodeResourcesFitArgs
from tenantry_core.config.decode import Reader
from tenantry_core.config.points import BUILTIN_PLUGINS, Point
from tenantry_core.config.problems import FieldError, join, nearest
from tenantry_core.config.schema import Config, PluginConfig, Profile, SchedulerSettings
from tenantry_core.config.settings import TenantrySettings
from tenantry_core.config.validate import validate

SCHEDULER_API, SCHEDULER_KIND = "kubescheduler.config.k8s.io/v1", "KubeSchedulerConfiguration"
TENANTRY_API, TENANTRY_KIND = "tenantry.io/v1alpha1", "TenantryConfiguration"
_API_OF = {SCHEDULER_KIND: SCHEDULER_API, TENANTRY_KIND: TENANTRY_API}
_TYPE_META = frozenset({"apiVersion", "kind"})

_WITHOUT_EFFECT = {
    "parallelism": "one decision looks at all nodes at once",
    "enableProfiling": "there are no profiling pages",
    "enableContentionProfiling": "there are no profiling pages",
    "delayCacheUntilActive": "standbys keep warm caches",
}


def load_config(
    text: str, known_plugins: Mapping[str, frozenset[Point]] = BUILTIN_PLUGINS
) -> Config | list[FieldError]:
    """Read configuration text.

    `known_plugins` maps the name of every plugin that may be named to the extension points it serves; pass the
    registry's, which holds the built-in ones too. Returns the configuration, or every error: what can't be read first,
    then what breaks a rule. Empty text is the default configuration.
    """
    reader = Reader()
    documents = _documents(text, reader)
    config = Config()
    for document in documents.values():
        config = _read(config, document, reader)
    # The rules look only at what could be read: after a syntax error there is nothing to check.
    if documents or not reader.errors:
        reader.errors.extend(validate(config, known_plugins))
    errors = list(dict.fromkeys(reader.errors))
    return errors or replace(config, notes=config.notes + _strangers(config, known_plugins))


def _read(config: Config, document: dict[str, Any], reader: Reader) -> Config:
    if document["kind"] == TENANTRY_KIND:
        return replace(config, tenantry=reader.structure(TenantrySettings, document, "", _TYPE_META))
    settings = reader.structure(SchedulerSettings, document, "", _TYPE_META | {"profiles"})
    profiles = _profiles(document.get("profiles"), reader)
    return replace(config, scheduler=replace(settings, profiles=profiles), notes=_notes(document))


def _documents(text: str, reader: Reader) -> dict[str, dict[str, Any]]:
    """The documents by kind. Those that are empty are passed over."""
    found: dict[str, dict[str, Any]] = {}
    try:
        parsed = list(yaml.load_all(text, Loader=_StrictLoader))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reader.refuse("", f"not YAML: {_one_line(error)}")
        return {}
    for number, raw in enumerate(parsed, start=1):
        if raw is None:
            continue
        kind = _kind_of(raw, f"document {number}", reader)
        if kind in found:
            reader.refuse(f"document {number}", f"a second {kind}; put everything into one")
        elif kind:
            found[kind] = raw
    return found


def _kind_of(raw: object, where: str, reader: Reader) -> str:
    """The kind of a document that can be read, or ""."""
    if not isinstance(raw, Mapping):
        reader.refuse(where, "must be an object with apiVersion and kind")
        return ""
    kind, api = raw.get("kind"), raw.get("apiVersion")
    if not isinstance(kind, str) or kind not in _API_OF:
        named = "must be set" if kind is None else f'unknown kind "{kind}"{nearest(str(kind), _API_OF)}'
        reader.refuse(f"{where}: kind", f"{named} (want {SCHEDULER_KIND} or {TENANTRY_KIND})")
        return ""
    if api != _API_OF[kind]:
        given = "must be set" if api is None else f'unsupported version "{api}"'
        reader.refuse(f"{where}: apiVersion", f"{given} (want {_API_OF[kind]})")
        return ""
    return kind


def _profiles(raw: object, reader: Reader) -> tuple[Profile, ...]:
    if raw is None or raw == []:
        return (Profile(),)
    if not isinstance(raw, list):
        reader.value(tuple[Profile, ...], raw, "profiles")
        return (Profile(),)
    return tuple(_profile(item, f"profiles[{i}]", reader) for i, item in enumerate(raw))


def _profile(raw: object, path: str, reader: Reader) -> Profile:
    profile = reader.structure(Profile, raw, path, frozenset({"pluginConfig"}))
    configs = raw.get("pluginConfig") if isinstance(raw, Mapping) else None
    where = f"{path}.pluginConfig"
    items = () if configs is None else reader.value(tuple[Mapping[str, object], ...], configs, where)
    if not isinstance(items, tuple):
        return profile
    return replace(
        profile, plugin_config=tuple(_plugin_config(item, f"{where}[{i}]", reader) for i, item in enumerate(items))
    )


def _plugin_config(raw: Mapping[str, Any], path: str, reader: Reader) -> PluginConfig:
    reader.known(raw, {"name": None, "args": None}, path)
    name = raw.get("name")
    if not isinstance(name, str) or not name:
        reader.refuse(join(path, "name"), "must be set to the name of a plugin")
        return PluginConfig("")
    args, where = raw.get("args"), join(path, "args")
    args = {} if args is None else args
    if name not in ARGS_BY_PLUGIN:
        return PluginConfig(name, raw=reader.mapping(args, where))
    wanted = f"{name}Args"
    if isinstance(args, Mapping) and args.get("kind", wanted) != wanted:
        reader.refuse(join(where, "kind"), f'must be "{wanted}" for the plugin {name}')
    if isinstance(args, Mapping) and args.get("apiVersion", SCHEDULER_API) != SCHEDULER_API:
        reader.refuse(join(where, "apiVersion"), f'must be "{SCHEDULER_API}"')
    read = reader.structure(ARGS_BY_PLUGIN[name], args, where, _TYPE_META)
    if isinstance(read, NodeResourcesFitArgs) and not read.scoring_strategy.resources:
        strategy = replace(read.scoring_strategy, resources=CPU_AND_MEMORY)
        read = replace(read, scoring_strategy=strategy)
    return PluginConfig(name, args=read)


def _notes(document: Mapping[str, Any]) -> tuple[str, ...]:
    notes = [f"{name}: has no effect: {why}" for name, why in _WITHOUT_EFFECT.items() if document.get(name) is not None]
    connection = document.get("clientConnection")
    if isinstance(connection, Mapping):
        named = [name for name in ("acceptContentTypes", "contentType") if connection.get(name)]
        notes += [f"clientConnection.{name}: has no effect: JSON is spoken" for name in named]
    return tuple(notes)


def _strangers(config: Config, known: Mapping[str, frozenset[Point]]) -> tuple[str, ...]:
    """Disabled plugins that do not exist: harmless, and common in files written for an older version."""
    return tuple(
        f'profiles[{i}].plugins.{field}.disabled: has no effect: there is no plugin "{ref.name}"'
        for i, profile in enumerate(config.scheduler.profiles)
        for field, plugins in profile.plugins.by_field().items()
        for ref in plugins.disabled
        if ref.name != "*" and ref.name not in known
    )


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


class _StrictLoader(yaml.SafeLoader):
    """SafeLoader that refuses a key given twice, as the API machinery does."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode) and key.value != "<<"]
        for i, key in enumerate(keys):
            if key in keys[:i]:
                raise yaml.constructor.ConstructorError(None, None, f'the key "{key}" is given twice', node.start_mark)
        return super().construct_mapping(node, deep)
