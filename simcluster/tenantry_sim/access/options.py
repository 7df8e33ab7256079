"""Command-line options about access, shared by the commands that serve a cluster."""

import argparse
import csv
import secrets
from pathlib import Path
from typing import Any

from tenantry_sim.config import TokenUser


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--plain-http", action="store_true", help="serve without TLS (kubectl then sends no token)")
    parser.add_argument(
        "--token", default="", help="the administrator's bearer token (default: a new one; none with --plain-http)"
    )
    parser.add_argument(
        "--token-file", metavar="FILE", help='further users as CSV, as kube-apiserver takes it: token,user,uid,"groups"'
    )
    parser.add_argument(
        "--webhook-address",
        metavar="NAMESPACE/SERVICE=HOST:PORT",
        action="append",
        default=[],
        help="where a webhook's service really listens; may be repeated",
    )


def settings(given: argparse.Namespace) -> dict[str, Any]:
    """The members of `SimConfig` that the options stand for. Raises OSError and ValueError for bad ones."""
    token = given.token or ("" if given.plain_http else secrets.token_urlsafe(24))
    users = read_users(given.token_file) if given.token_file else ()
    addresses = dict(_address(text) for text in given.webhook_address)
    return {"tls": not given.plain_http, "token": token, "users": users, "webhook_addresses": addresses}


def read_users(path: str | Path) -> tuple[TokenUser, ...]:
    """Users of a token file. Raises OSError, and ValueError for a line without token, user and UID."""
    found = []
    with open(path, newline="") as file:
        for number, row in enumerate(csv.reader(file, skipinitialspace=True), 1):
            if not row or row[0].startswith("#"):
                continue
            if len(row) < 3 or not row[0] or not row[1]:
                raise ValueError(f"{path}: line {number}: must be token,user,uid and perhaps groups")
            groups = tuple(g.strip() for g in row[3].split(",") if g.strip()) if len(row) > 3 else ()
            found.append(TokenUser(row[1], row[0], groups, row[2]))
    return tuple(found)


def _address(text: str) -> tuple[str, str]:
    service, _, address = text.partition("=")
    if service.count("/") != 1 or ":" not in address:
        raise ValueError(f"{text!r}: must be NAMESPACE/SERVICE=HOST:PORT")
    return service, address
