"""`shisho users`, `groups`, `grants` and `audit`: the library's people and their access to corpora."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shisho.interfaces.cli.frames import CommandGroup
from shisho.interfaces.cli.runner import Json, load_words, run, show

if TYPE_CHECKING:
    from shisho.domain.audit import AuditEntry
    from shisho.domain.team import CorpusGrant, NewToken, User, UserGroup
    from shisho.interfaces.cli.messages import Words
    from shisho.services import Library

users = typer.Typer(cls=CommandGroup, no_args_is_help=True, help="help.users")
groups = typer.Typer(cls=CommandGroup, no_args_is_help=True, help="help.groups")
grants = typer.Typer(cls=CommandGroup, no_args_is_help=True, help="help.grants")

Name = Annotated[str, typer.Argument(help="help.argument_user")]
GroupName = Annotated[str, typer.Argument(metavar="GROUP", help="help.argument_group")]
CorpusName = Annotated[str, typer.Argument(metavar="CORPUS", help="help.option_grant_corpus")]
GranteeName = Annotated[str, typer.Argument(metavar="NAME", help="help.argument_quota_name")]
IsGroup = Annotated[bool, typer.Option("--group", "-g", help="help.option_grant_group")]


@users.command("add", help="help.users_add")
def add_user(
    context: typer.Context,
    name: Name,
    no_token: Annotated[bool, typer.Option("--no-token", help="help.option_no_token")] = False,
    json_: Json = False,
) -> None:
    """Add a user and print their token once; only its hash is stored."""

    async def execute(library: Library) -> None:
        token = await library.team.add_user(name, has_token=not no_token)
        show(token or {"user": name}, json_, lambda: _print_token(name, token, load_words(context)))

    run(context, execute, json_)


@users.command("token", help="help.users_token")
def renew_token(context: typer.Context, name: Name, json_: Json = False) -> None:
    """Replace a user's token and print it once; the old one stops working."""

    async def execute(library: Library) -> None:
        token = await library.team.renew_token(name)
        show(token, json_, lambda: _print_token(name, token, load_words(context)))

    run(context, execute, json_)


@users.command("list", help="help.users_list")
def list_users(context: typer.Context, json_: Json = False) -> None:
    """List users with their groups."""

    async def execute(library: Library) -> None:
        rows = await library.team.list_users()
        show(rows, json_, lambda: _print_users(rows, load_words(context)))

    run(context, execute, json_)


@users.command("remove", help="help.users_remove")
def remove_user(context: typer.Context, name: Name, json_: Json = False) -> None:
    """Remove a user's access. Their library is kept; `shisho users restore` undoes it."""
    _do(context, json_, lambda library: library.team.remove_user(name), "user_removed", user=name)


@users.command("restore", help="help.users_restore")
def restore_user(context: typer.Context, name: Name, json_: Json = False) -> None:
    """Restore a removed user."""
    _do(context, json_, lambda library: library.team.restore_user(name), "user_restored", user=name)


@groups.command("add", help="help.groups_add")
def add_group(
    context: typer.Context,
    group: GroupName,
    names: Annotated[list[str], typer.Argument(metavar="[USER]...", help="help.argument_members")] = [],  # noqa: B006
    json_: Json = False,
) -> None:
    """Create a group if needed, and add users to it."""

    async def execute(library: Library) -> None:
        from shisho.services.team import check_name

        name = check_name(group)
        is_there = name in {row.name for row in await library.team.list_groups()}
        count = await (library.team.join if is_there else library.team.add_group)(name, *names)
        facts = {"group": name, "joined": count}
        show(facts, json_, lambda: typer.echo(load_words(context)("group_joined", group=name, n=count)))

    run(context, execute, json_)


@groups.command("list", help="help.list_groups")
def list_groups(context: typer.Context, json_: Json = False) -> None:
    """List groups with their members."""

    async def execute(library: Library) -> None:
        rows = await library.team.list_groups()
        show(rows, json_, lambda: _print_groups(rows, load_words(context)))

    run(context, execute, json_)


@groups.command("remove", help="help.groups_remove")
def remove_group(
    context: typer.Context,
    group: GroupName,
    names: Annotated[list[str], typer.Argument(metavar="[USER]...", help="help.argument_members_out")] = [],  # noqa: B006
    json_: Json = False,
) -> None:
    """Remove users from a group, or the group with all its grants."""

    async def execute(library: Library) -> None:
        if not names:
            await library.team.remove_group(group)
            show(
                {"group": group},
                json_,
                lambda: typer.echo(load_words(context)("on_group_removed", group=group)),
            )
            return
        count = await library.team.leave(group, *names)
        facts = {"group": group, "left": count}
        show(facts, json_, lambda: typer.echo(load_words(context)("group_left", group=group, n=count)))

    run(context, execute, json_)


@grants.command("add", help="help.grants_add")
def add_grant(
    context: typer.Context,
    corpus: CorpusName,
    name: GranteeName,
    group: IsGroup = False,
    write: Annotated[bool, typer.Option("--write", "-w", help="help.option_write")] = False,
    json_: Json = False,
) -> None:
    """Grant access to one of your corpora; the user calls it CORPUS@YOU.

    A new grant replaces the old one.
    """

    async def execute(library: Library) -> None:
        granted = await library.team.grant(corpus, name, is_group=group, is_writable=write)
        show(granted, json_, lambda: _print_grants([granted], load_words(context)))

    run(context, execute, json_)


@grants.command("list", help="help.list_grants")
def list_grants(context: typer.Context, json_: Json = False) -> None:
    """List grants of your corpora; the library's owner sees all of them."""

    async def execute(library: Library) -> None:
        rows = await library.team.list_grants()
        show(rows, json_, lambda: _print_grants(rows, load_words(context)))

    run(context, execute, json_)


@grants.command("remove", help="help.grants_remove")
def remove_grant(
    context: typer.Context,
    corpus: CorpusName,
    name: GranteeName,
    group: IsGroup = False,
    json_: Json = False,
) -> None:
    """Revoke a grant, effective at once, even for open sessions."""
    _do(
        context,
        json_,
        lambda library: library.team.revoke(corpus, name, is_group=group),
        "grant_removed",
        corpus=corpus,
        user=name,
    )


def audit(
    context: typer.Context,
    user: Annotated[str | None, typer.Option("--user", "-u", help="help.option_user")] = None,
    before: Annotated[int | None, typer.Option(help="help.option_after_entry")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1_000, help="help.option_limit")] = 100,
    json_: Json = False,
) -> None:
    """List who read or changed what, newest first: actions and ids, no text.

    Recorded once a user exists.
    """

    async def execute(library: Library) -> None:
        entries = await library.team.list_audit(user, before=before, limit=limit)
        show(
            entries,
            json_,
            lambda: _print_audit(entries, load_words(context), is_narrowed=bool(user or before)),
        )

    run(context, execute, json_)


def _do(context: typer.Context, json_: bool, act: Callable[[Library], Any], key: str, **facts: str) -> None:
    """Do something without a result, and confirm it."""

    async def execute(library: Library) -> None:
        await act(library)
        show(facts, json_, lambda: typer.echo(load_words(context)(key, **facts)))

    run(context, execute, json_)


def _print_token(name: str, token: NewToken | None, say: Words) -> None:
    if token is None:
        typer.echo(say("user_added", user=name))
        return
    typer.echo(token.token)
    typer.echo(say("token_once", user=name), err=True)


def _print_users(rows: Sequence[User], say: Words) -> None:
    for user in rows:
        state = (
            say("user_is_removed") if user.removed_at else say("has_token" if user.has_token else "no_token")
        )
        typer.echo(f"{user.name}  {state}  {', '.join(user.groups)}".rstrip())
    if not rows:
        typer.echo(say("no_users"))


def _print_groups(rows: Sequence[UserGroup], say: Words) -> None:
    for group in rows:
        typer.echo(f"{group.name}  {', '.join(group.members)}".rstrip())
    if not rows:
        typer.echo(say("no_groups"))


def _print_audit(entries: Sequence[AuditEntry], say: Words, *, is_narrowed: bool) -> None:
    for entry in entries:
        subjects = " ".join(entry.subjects)
        end = say(f"act_{entry.outcome}", code=entry.code) if entry.code else ""
        verb = say(f"audit_{entry.verb}")
        typer.echo(f"{entry.seq}  {entry.at[:19]}  {entry.actor}  {verb}  {subjects}  {end}".rstrip())
    if not entries:
        typer.echo(say("no_audit_so" if is_narrowed else "no_audit"))


def _print_grants(rows: Sequence[CorpusGrant], say: Words) -> None:
    for grant in rows:
        access = say("may_write" if grant.access.is_writable else "may_read")
        kind = say(f"grantee_{grant.grantee.kind}")
        typer.echo(f"{grant.corpus.name}@{grant.corpus.owner}  {kind} {grant.grantee.name}  {access}")
    if not rows:
        typer.echo(say("no_grants"))
