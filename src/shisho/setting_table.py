"""The table of settings: name, default, help, and what a value must be. `settings.py` reads the values."""

from __future__ import annotations

from dataclasses import dataclass

Value = str | int | float | bool
MODEL = r"(?:openai|ollama|gemini|anthropic)/\S+"
KEY = "[!-~]*"  # it stands in a header, which takes no other signs
ADDRESS = r"https?://[^\s/?#@]+[^\s?#]*"
INDEX = r"qdrant(?:\+https)?://(?::memory:|[^\s/?#@]+)"

# Models by their full names on the hub, for whoever writes a part of one.
KNOWN_MODELS = (
    *(f"cl-nagoya/ruri-v3-{size}" for size in ("30m", "70m", "130m", "310m")),
    "cl-nagoya/ruri-v3-reranker-310m",
    "hotchpotch/static-embedding-japanese",
    *(f"hotchpotch/japanese-reranker-{size}-v2" for size in ("tiny", "xsmall", "small", "base")),
    *(f"intfloat/multilingual-e5-{size}" for size in ("small", "base", "large")),
)


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table. The default's type is the setting's type."""

    name: str
    default: Value
    help: str
    choices: tuple[str, ...] = ()
    secret: bool = False
    pattern: str = ""
    """What a value must match, as a regular expression."""


TABLE: tuple[Setting, ...] = (
    Setting("home", "", "folder of the database and indexes; empty: the platform's data folder"),
    Setting(
        "store",
        "",
        "address of a PostgreSQL database that everything is stored in; empty: a file in the home folder",
        secret=True,
        pattern=r"|postgres(?:ql)?://\S+",
    ),
    Setting("blobs", "", "folder or s3://bucket/prefix of files that were handed in; empty: the home folder"),
    Setting(
        "mcp_tools",
        "default",
        "tools that assistants are shown: the 14 that research needs, or all",
        ("default", "all"),
    ),
    Setting("language", "auto", "language of messages", ("auto", "ja", "en")),
    Setting("splitter", "fast", "how passages are cut", ("fast", "ginza")),
    Setting("terms", "fast", "how index terms are made", ("fast", "ginza")),
    Setting(
        "model",
        "none",
        "language model of the librarian, as provider/name; none: quotations only",
        pattern=f"none|{MODEL}",
    ),
    Setting(
        "model_plan",
        "",
        "model that splits the question and plans the searches; empty: as model",
        pattern=f"|none|{MODEL}",
    ),
    Setting("model_evaluate", "", "model that reads the passages; empty: as model", pattern=f"|none|{MODEL}"),
    Setting("model_answer", "", "model that writes the answer; empty: as model", pattern=f"|none|{MODEL}"),
    Setting(
        "preset",
        "balanced",
        "how much the models may do: read and answer; plan too; in more calls",
        ("fast", "balanced", "thorough"),
    ),
    Setting(
        "model_url",
        "",
        "address of the models' server; empty: Ollama on this machine, for other providers their own",
        pattern=f"|{ADDRESS}",
    ),
    Setting("model_key", "", "key for the models' server", secret=True, pattern=KEY),
    Setting("model_context", 8192, "tokens that a local model reads and writes in one call"),
    Setting("model_seconds", 60.0, "seconds one call of a model may take"),
    Setting(
        "embedder",
        "auto",
        "what gives passages vectors, so that they are found by meaning too: use, e5, a folder, the name of a pulled model, "
        "or the address of a server; auto: use where the extra is installed",
        pattern=rf"auto|none|use|e5|{ADDRESS}|.*[/\\][^\0\n]*",
    ),
    Setting("embedder_model", "", "name of the model at the embedder's server"),
    Setting("embedder_key", "", "key for the embedder's server", secret=True, pattern=KEY),
    Setting(
        "fusion", "blend", "how words and meaning make one ranking: by scores or ranks", ("blend", "rrf")
    ),
    Setting(
        "reranker",
        "none",
        "what reads the twenty best passages together with the question and puts them in order: a folder with a cross-encoder "
        "as ONNX, or the name of a pulled one",
        pattern=r"none|.*[/\\][^\0\n]*",
    ),
    Setting("models_url", "https://huggingface.co", "hub of models that `models pull` asks", pattern=ADDRESS),
    Setting(
        "index",
        "",
        "server of the search index, as qdrant://host:port; empty: the store's own index",
        pattern=rf"|{INDEX}",
    ),
    Setting("index_key", "", "key for the index's server", secret=True, pattern=KEY),
    Setting("loop", "own", "what runs the librarian's nodes", ("own", "langgraph")),
    Setting("max_rounds", 3, "search rounds of one question"),
    Setting("max_seconds", 120.0, "seconds one question may take"),
    Setting(
        "room_tokens",
        0,
        "room for shown passages in one round, in tokens; 0: as many as suit the library and the model reads",
    ),
    Setting("growth", "linear", "how k grows with the round: 1, 2, 3 or 1, 3, 10", ("linear", "exponential")),
    Setting(
        "web",
        "ask",
        "whether the web may be searched and pages fetched; ask: not before you said yes",
        ("ask", "on", "off"),
    ),
    Setting("robots", True, "whether robots.txt is heeded"),
    Setting("box", "", "file of a running `shisho box`: its small web is searched in place of the real one"),
    Setting("workers", 2, "jobs done at once by a server or by `shisho worker`"),
    Setting("max_job_seconds", 600.0, "seconds one attempt at a job may take; then it ends with what it has"),
    Setting(
        "notify",
        "auto",
        "how you are told that a page waits for you: on the desktop and in the terminals of workers, there only, not at all",
        ("auto", "terminal", "off"),
    ),
    Setting(
        "allowed_roots",
        "",
        "folders whose files MCP and HTTP callers may name, separated as in PATH; empty: none",
    ),
    Setting(
        "token", "", "word that HTTP clients must send; needed to listen beyond this machine", secret=True
    ),
    Setting("tokens", "", "people with libraries of their own, as name:TOKEN name:TOKEN", secret=True),
    Setting("user_header", "", "header in which a proxy that knows people says who calls; empty: none"),
    Setting(
        "trusted_proxies",
        "",
        "addresses of the proxies that user_header is believed from, separated by commas",
    ),
    Setting("allowed_hosts", "", "further host names the HTTP server answers to, separated by commas"),
    Setting("max_connections", 500, "connections to the HTTP server that may be open at once"),
    Setting(
        "allowed_origins",
        "",
        "web pages of others that may call the HTTP server, as https://name, separated by commas",
    ),
    Setting(
        "allow_private_hosts",
        "",
        "hosts that may lead into a private network, as name or name:port, separated by commas",
    ),
    Setting("allow_ports", "", "ports that may be fetched from besides 80 and 443, separated by commas"),
    Setting(
        "contact",
        "",
        "page or mail address shown to web sites, so that their owners can reach you; empty: none",
    ),
    Setting(
        "contact_email",
        "",
        "mail address told to OpenAlex, Crossref and PubMed, which serve those who give one first; empty: none",
    ),
    Setting(
        "ncbi_api_key", "", "key for PubMed: a request every 0.125 s instead of 0.5", secret=True, pattern=KEY
    ),
    Setting("openalex_api_key", "", "key for OpenAlex", secret=True, pattern=KEY),
    Setting(
        "semantic_scholar_key",
        "",
        "key for Semantic Scholar: a request every 1.1 s instead of 3",
        secret=True,
        pattern=KEY,
    ),
    Setting(
        "brave_api_key",
        "",
        "key for Brave's Search API, which answers nobody without one",
        secret=True,
        pattern=KEY,
    ),
    Setting(
        "marginalia_key",
        "",
        "key for Marginalia; empty: the one that everybody shares",
        secret=True,
        pattern=KEY,
    ),
    Setting("browser_path", "", "program of Chromium or Chrome; empty: what is installed"),
    Setting("browser_seconds", 30.0, "seconds one page may take in the browser"),
    Setting("browser_memory_mb", 1500, "memory one page may take in the browser, in megabytes"),
    Setting("max_tabs", 1, "pages open in the browser at once, for each process"),
    Setting("max_file_mb", 50, "largest file taken in, in megabytes"),
    Setting(
        "reader_seconds",
        60.0,
        "seconds a reader may compute on one file (HTML: 5), and 0.5 more for each MB of it",
    ),
    Setting(
        "reader_memory_mb", 1024, "memory a reader may use, in megabytes, and 12 more for each MB of the file"
    ),
    Setting(
        "ocr",
        "auto",
        "text is recognised in pictures and scanned pages where the extra is installed",
        ("auto", "off"),
    ),
    Setting(
        "log_format",
        "text",
        "how a server and a worker write their log: lines for people, or one JSON object a line",
        ("text", "json"),
    ),
    Setting(
        "traces",
        "",
        "collector of OpenTelemetry traces that spans are sent to, as http://host:4318; empty: none",
        pattern=rf"|{ADDRESS}",
    ),
    Setting("passage_chars", 500, "longest passage, in characters"),
    Setting("passage_overlap", 100, "overlap of neighbouring passages, in characters"),
)


def list_full_names(name: str, kind: str = "") -> str:
    """Return the known models that a part of a name may mean, separated by commas; "" for a full name. `kind`
    is a setting: only a reranker's value means a reranker."""
    if name in KNOWN_MODELS or len(name) < len("e5-"):
        return ""
    return ", ".join(
        model
        for model in KNOWN_MODELS
        if name.casefold() in model and kind in ("", "reranker" if "reranker" in model else "embedder")
    )
