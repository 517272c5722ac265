"""Messages about a PostgreSQL database, in Japanese, by their English templates."""

from __future__ import annotations

from collections.abc import Mapping

SAID: Mapping[str, str] = {
    "address of a PostgreSQL database that everything is stored in; empty: a file in the home folder": (
        "すべてを保存するPostgreSQLデータベースの宛先。空: ホームフォルダのファイル"
    ),
    (
        "The setting store is no address of PostgreSQL. It looks like postgresql://user:password@host:5432/shisho."
    ): (
        "設定storeがPostgreSQLの宛先になっていません。postgresql://user:password@host:5432/shisho のように書いてください。"
    ),
    (
        "The connection to PostgreSQL at {server} broke off while something was being stored, so it may be stored or not. "
        "Look whether it is there, then try again."
    ): (
        "保存の最中に {server} のPostgreSQLとの接続が切れたため、保存されたかどうか分かりません。あるかどうかを見てから、"
        "もう一度お試しください。"
    ),
    "Others were storing the same at that moment, again and again. Try again.": (
        "ほかでも同じものの保存が続けて重なりました。もう一度お試しください。"
    ),
    "Others hold in PostgreSQL what this needs. Try again.": (
        "必要なものがPostgreSQLでほかに使われています。もう一度お試しください。"
    ),
    "All connections to PostgreSQL are in use. Try again.": (
        "PostgreSQLへの接続がすべて使われています。もう一度お試しください。"
    ),
    (
        "PostgreSQL at {server} took too long. Try again; if that lasts, see what it does (pg_stat_activity)."
    ): (
        "{server} のPostgreSQLが時間内に終わりませんでした。もう一度お試しください。続くときは、何をしているか"
        "(pg_stat_activity)を見てください。"
    ),
    ("The disk of PostgreSQL at {server} is full: nothing was stored. Free some space and try again."): (
        "{server} のPostgreSQLのディスクがいっぱいで、何も保存していません。空きを作ってからやり直してください。"
    ),
    (
        "PostgreSQL at {server} only follows another server just now. Try again; if that lasts, name the leading one "
        "in the setting store."
    ): (
        "{server} のPostgreSQLは今、ほかのサーバーの写しです。もう一度お試しください。続くときは、設定storeに主となる"
        "サーバーを書いてください。"
    ),
    (
        "PostgreSQL at {server} takes no more connections. Try again; if that lasts, raise its max_connections or put a "
        "pooler before it."
    ): (
        "{server} のPostgreSQLはこれ以上接続できません。もう一度お試しください。続くときは、max_connectionsを増やすか、"
        "前にプーラーを置いてください。"
    ),
    (
        "PostgreSQL at {server} cannot be reached. Try again; if that lasts, see that it runs and that the setting store "
        "names it."
    ): (
        "{server} のPostgreSQLにつながりません。もう一度お試しください。続くときは、動いているか、設定storeが正しいかを"
        "見てください。"
    ),
    (
        "PostgreSQL at {server} does not let Shisho use the database {database}: {reason}. Mend the setting store, or make "
        "the user and the database."
    ): (
        "{server} のPostgreSQLで、データベース {database} を使えません: {reason}。設定storeを直すか、利用者とデータベースを"
        "作ってください。"
    ),
    "The database {database} on {server} is damaged ({reason}). Restore a backup.": (
        "{server} のデータベース {database} が壊れています({reason})。バックアップを戻してください。"
    ),
    (
        "This PostgreSQL has no extension vector, so passages are found by words alone. Install pgvector on the server."
    ): "このPostgreSQLには拡張機能vectorがないため、言葉だけで探します。サーバーにpgvectorを入れてください。",
    "{source} is no backup of Shisho on PostgreSQL.": (
        "{source} は、PostgreSQLで使うShishoのバックアップではありません。"
    ),
    "{source} is damaged: what it holds is not what was written.": (
        "{source} は壊れています。書いたときの中身と違います。"
    ),
    (
        "{source} was written by another version of Shisho (its schema ends with {version}). Restore it with that version, "
        "then update."
    ): (
        "{source} は別の版のShishoが書いたものです(スキーマの最後は {version})。その版で戻してから更新してください。"
    ),
    "The database is not empty: its table {table} has rows. Restore into a new database.": (
        "データベースが空ではありません(表 {table} に行があります)。新しいデータベースに戻してください。"
    ),
    "PostgreSQL {version}, {count} documents, database {name}": (
        "PostgreSQL {version}、文書 {count} 件、データベース {name}"
    ),
    "{detail}; without the extension vector": "{detail}。拡張vectorはありません",
    "searches are by words alone; for meaning too, install pgvector on the server": (
        "検索は語だけで行います。意味でも探すには、サーバーにpgvectorを入れてください"
    ),
    "A blank is no place. Name a home's folder, or postgresql://….": (
        "空白は場所になりません。ホームのフォルダーか postgresql://… を指定してください。"
    ),
    (
        "{path} is a file. A backup of PostgreSQL is copied into postgresql://…; one of a home is put into a folder "
        "as its {database}."
    ): (
        "{path} はファイルです。PostgreSQLのバックアップは postgresql://… へ写せます。"
        "ホームのバックアップは、フォルダーに {database} という名前で置けばそのまま開けます。"
    ),
    (
        "There is no library at {place}, so nothing was copied. Name a home's folder (it holds {database}), "
        "postgresql://…, or a backup of one."
    ): (
        "{place} にはライブラリがないので、何も写していません。ホームのフォルダー({database} があるところ)か "
        "postgresql://…、またはそのバックアップを指定してください。"
    ),
    "{place} is neither a folder nor an address of PostgreSQL. An address begins with postgresql://.": (
        "{place} はフォルダーでもPostgreSQLのアドレスでもありません。アドレスは postgresql:// で始まります。"
    ),
    "Both places are the same: name another one to copy to.": "写す元と先が同じです。別の場所を指定してください。",
    "The text of {document} did not arrive as it was.": "{document} の本文が元のとおりに届きませんでした。",
    (
        "The table {table} is not the same in both places ({count} rows here, {other} there): somebody is storing in "
        "one of them, or the target was not empty. Stop servers and workers, and copy into an empty place."
    ): (
        "表 {table} が元と先で違います(元 {count} 行、先 {other} 行)。保存が続いているか、先が空ではありませんでした。"
        "サーバーとワーカーを止め、空の場所に写してください。"
    ),
    (
        "The target has what the source has not, in its table {table}: it was not empty, or the source has changed "
        "since a copy was begun there. Nothing was copied. Copy into an empty place."
    ): (
        "写す先の表 {table} に、元にないものがあります。先が空でなかったか、写し始めてから元が変わりました。何も写していま"
        "せん。空の場所に写してください。"
    ),
    (
        "The user of the setting store may only read the database {database} on {server}. Let that user write, or "
        "name another one."
    ): (
        "設定storeの利用者は、{server} のデータベース {database} を読むことしかできません。書く権利を与えるか、別の利用者を"
        "書いてください。"
    ),
}
