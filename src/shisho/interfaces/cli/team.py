"""`shisho users`, `groups`, `grants`, `quotas`, `share` and `audit`: people and their access."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from shisho.interfaces.cli.frames import CommandGroup
from shisho.interfaces.cli.shell import Json, Shell, Words, library_command

if TYPE_CHECKING:
    from shisho.domain.team import AuditEntry, CorpusGrant, NewToken, Quota, TaskShare, User, UserGroup

users = typer.Typer(cls=CommandGroup, no_args_is_help=True, help="help.users")
groups = typer.Typer(cls=CommandGroup, no_args_is_help=True, help="help.groups")
grants = typer.Typer(cls=CommandGroup, no_args_is_help=True, help="help.grants")

Name = Annotated[str, typer.Argument(help="help.argument_user")]
GroupName = Annotated[str, typer.Argument(metavar="GROUP", help="help.argument_group")]
CorpusName = Annotated[str, typer.Argument(metavar="CORPUS", help="help.option_grant_corpus")]
GranteeName = Annotated[str, typer.Argument(metavar="NAME", help="help.argument_quota_name")]
IsGroup = Annotated[bool, typer.Option("--group", "-g", help="help.option_grant_group")]


@users.command("add", help="help.users_add")
@library_command()
async def add_user(
    shell: Shell,
    name: Name,
    no_token: Annotated[bool, typer.Option("--no-token", help="help.option_no_token")] = False,
    json_: Json = False,
) -> None:
    """Add a user and print their token once; only its hash is stored."""
    token = await shell.library.team.add_user(name, has_token=not no_token)
    shell.show(token or {"user": name}, lambda: _print_token(name, token, shell.say))


@users.command("token", help="help.users_token")
@library_command()
async def renew_token(shell: Shell, name: Name, json_: Json = False) -> None:
    """Replace a user's token and print it once; the old one stops working."""
    token = await shell.library.team.renew_token(name)
    shell.show(token, lambda: _print_token(name, token, shell.say))


@users.command("list", help="help.users_list")
@library_command()
async def list_users(shell: Shell, json_: Json = False) -> None:
    """List users with their groups."""
    rows = await shell.library.team.list_users()
    shell.show(rows, lambda: _print_users(rows, shell.say))


@users.command("remove", help="help.users_remove")
@library_command()
async def remove_user(shell: Shell, name: Name, json_: Json = False) -> None:
    """Remove a user's access. Their library is kept; `shisho users restore` undoes it."""
    await shell.library.team.remove_user(name)
    _confirm(shell, "user_removed", user=name)


@users.command("restore", help="help.users_restore")
@library_command()
async def restore_user(shell: Shell, name: Name, json_: Json = False) -> None:
    """Restore a removed user."""
    await shell.library.team.restore_user(name)
    _confirm(shell, "user_restored", user=name)


@groups.command("add", help="help.groups_add")
@library_command()
async def add_group(
    shell: Shell,
    group: GroupName,
    names: Annotated[list[str], typer.Argument(metavar="[USER]...", help="help.argument_members")] = [],  # noqa: B006
    json_: Json = False,
) -> None:
    """Create a group if needed, and add users to it."""
    from shisho.services.team import check_name

    name = check_name(group)
    is_there = name in {row.name for row in await shell.library.team.list_groups()}
    count = await (shell.library.team.join if is_there else shell.library.team.add_group)(name, *names)
    facts = {"group": name, "joined": count}
    shell.show(facts, lambda: typer.echo(shell.say("group_joined", group=name, n=count)))


@groups.command("list", help="help.list_groups")
@library_command()
async def list_groups(shell: Shell, json_: Json = False) -> None:
    """List groups with their members."""
    rows = await shell.library.team.list_groups()
    shell.show(rows, lambda: _print_groups(rows, shell.say))


@groups.command("remove", help="help.groups_remove")
@library_command()
async def remove_group(
    shell: Shell,
    group: GroupName,
    names: Annotated[list[str], typer.Argument(metavar="[USER]...", help="help.argument_members_out")] = [],  # noqa: B006
    json_: Json = False,
) -> None:
    """Remove users from a group, or the group with all its grants."""
    if not names:
        await shell.library.team.remove_group(group)
        _confirm(shell, "on_group_removed", group=group)
        return
    count = await shell.library.team.leave(group, *names)
    facts = {"group": group, "left": count}
    shell.show(facts, lambda: typer.echo(shell.say("group_left", group=group, n=count)))


@grants.command("add", help="help.grants_add")
@library_command()
async def add_grant(
    shell: Shell,
    corpus: CorpusName,
    name: GranteeName,
    group: IsGroup = False,
    write: Annotated[bool, typer.Option("--write", "-w", help="help.option_write")] = False,
    json_: Json = False,
) -> None:
    """Grant access to one of your corpora; the user calls it CORPUS@YOU.

    A new grant replaces the old one.
    """
    granted = await shell.library.team.grant(corpus, name, is_group=group, is_writable=write)
    shell.show(granted, lambda: _print_grants([granted], shell.say))


@grants.command("list", help="help.list_grants")
@library_command()
async def list_grants(shell: Shell, json_: Json = False) -> None:
    """List grants of your corpora; the library's owner sees all of them."""
    rows = await shell.library.team.list_grants()
    shell.show(rows, lambda: _print_grants(rows, shell.say))


@grants.command("remove", help="help.grants_remove")
@library_command()
async def remove_grant(
    shell: Shell,
    corpus: CorpusName,
    name: GranteeName,
    group: IsGroup = False,
    json_: Json = False,
) -> None:
    """Revoke a grant, effective at once, even for open sessions."""
    await shell.library.team.revoke(corpus, name, is_group=group)
    _confirm(shell, "grant_removed", corpus=corpus, user=name)


@library_command()
async def audit(
    shell: Shell,
    user: Annotated[str | None, typer.Option("--user", "-u", help="help.option_user")] = None,
    before: Annotated[int | None, typer.Option(help="help.option_after_entry")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1_000, help="help.option_limit")] = 100,
    json_: Json = False,
) -> None:
    """List who read or changed what, newest first: actions and ids, no text.

    Recorded once a user exists.
    """
    entries = await shell.library.team.list_audit(user, before=before, limit=limit)
    is_narrowed = bool(user or before)
    shell.show(entries, lambda: _print_audit(entries, shell.say, is_narrowed=is_narrowed))


def _confirm(shell: Shell, key: str, **facts: str) -> None:
    """Report that something without a result was done."""
    shell.show(facts, lambda: typer.echo(shell.say(key, **facts)))


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


quotas = typer.Typer(cls=CommandGroup, no_args_is_help=True, help="help.quotas")

Limited = Annotated[str, typer.Argument(metavar="NAME", help="help.argument_quota_name")]
IsQuotaGroup = Annotated[bool, typer.Option("--group", "-g", help="help.option_quota_group")]


@quotas.command("set", help="help.quotas_set")
@library_command()
async def set_quota(
    shell: Shell,
    name: Limited,
    group: IsQuotaGroup = False,
    jobs: Annotated[int | None, typer.Option(help="help.option_quota_jobs")] = None,
    pages: Annotated[int | None, typer.Option(help="help.option_quota_pages")] = None,
    tokens: Annotated[int | None, typer.Option(help="help.option_quota_tokens")] = None,
    json_: Json = False,
) -> None:
    """Set a daily limit (UTC) of a user or a group; the usage of today still counts."""
    ceilings = {"jobs": jobs, "pages": pages, "tokens": tokens}
    rows = await shell.library.team.set_quota(name, ceilings, is_group=group)
    shell.show(rows, lambda: _print_quotas(rows, shell.say))


@quotas.command("list", help="help.quotas_list")
@library_command()
async def list_quotas(shell: Shell, json_: Json = False) -> None:
    """List daily limits and the usage of today."""
    rows = await shell.library.team.list_quotas()
    shell.show(rows, lambda: _print_quotas(rows, shell.say))


@quotas.command("remove", help="help.quotas_remove")
@library_command()
async def remove_quota(shell: Shell, name: Limited, group: IsQuotaGroup = False, json_: Json = False) -> None:
    """Remove the limits of a user or a group."""
    await shell.library.team.remove_quota(name, is_group=group)
    shell.show({"name": name}, lambda: typer.echo(shell.say("quota_removed", user=name)))


def _print_quotas(rows: Sequence[Quota], say: Words) -> None:
    for quota in rows:
        kind = say(f"grantee_{quota.grantee.kind}")
        used = say(f"quota_{quota.resource}", used=quota.used, limit=quota.per_day)
        typer.echo(f"{kind} {quota.grantee.name}  {used}")
    if not rows:
        typer.echo(say("no_quotas"))


@library_command()
async def share(
    shell: Shell,
    task: Annotated[str, typer.Argument(help="help.argument_share")] = "",
    group: Annotated[str, typer.Argument(help="help.argument_share_group")] = "",
    end: Annotated[bool, typer.Option("--end", help="help.option_unshare")] = False,
    json_: Json = False,
) -> None:
    """Share a task and its answer with a group; without arguments, list what is shared."""
    if task or group:
        await (shell.library.tasks.unshare if end else shell.library.tasks.share)(task, group)
    rows = await shell.library.tasks.list_shares()
    shell.show(rows, lambda: _print_shares(rows, shell.say))


def _print_shares(rows: Sequence[TaskShare], say: Words) -> None:
    for row in rows:
        typer.echo(f"{row.shared_id}  {row.owner}  {say('grantee_group')} {row.group}")
    if not rows:
        typer.echo(say("no_shares"))
