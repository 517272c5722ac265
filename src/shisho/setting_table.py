"""The table of settings: name, default, help, and what a value must be. `settings.py` reads the values."""

from __future__ import annotations

from shisho.messages import Message
from shisho.records import dataclass

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
    choices: tuple[str, ...] = ()
    secret: bool = False
    pattern: str = ""
    """What a value must match, as a regular expression."""

    @property
    def help(self) -> Message:
        """What the setting does and takes, for people."""
        return Message(f"setting.{self.name}")


TABLE: tuple[Setting, ...] = (
    Setting("home", ""),
    Setting(
        "store",
        "",
        secret=True,
        pattern=r"|postgres(?:ql)?://\S+",
    ),
    Setting("blobs", ""),
    Setting(
        "mcp_tools",
        "default",
        ("default", "all"),
    ),
    Setting("language", "auto", ("auto", "ja", "en")),
    Setting("splitter", "fast", ("fast", "ginza")),
    Setting("terms", "fast", ("fast", "ginza")),
    Setting(
        "model",
        "none",
        pattern=f"none|{MODEL}",
    ),
    Setting(
        "model_plan",
        "",
        pattern=f"|none|{MODEL}",
    ),
    Setting("model_evaluate", "", pattern=f"|none|{MODEL}"),
    Setting("model_answer", "", pattern=f"|none|{MODEL}"),
    Setting(
        "preset",
        "balanced",
        ("fast", "balanced", "thorough"),
    ),
    Setting(
        "model_url",
        "",
        pattern=f"|{ADDRESS}",
    ),
    Setting("model_key", "", secret=True, pattern=KEY),
    Setting("model_context", 8192),
    Setting("model_seconds", 60.0),
    Setting(
        "embedder",
        "auto",
        pattern=rf"auto|none|use|e5|{ADDRESS}|.*[/\\][^\0\n]*",
    ),
    Setting("embedder_model", ""),
    Setting("embedder_key", "", secret=True, pattern=KEY),
    Setting("fusion", "blend", ("blend", "rrf")),
    Setting(
        "reranker",
        "none",
        pattern=r"none|.*[/\\][^\0\n]*",
    ),
    Setting("models_url", "https://huggingface.co", pattern=ADDRESS),
    Setting(
        "index",
        "",
        pattern=rf"|{INDEX}",
    ),
    Setting("index_key", "", secret=True, pattern=KEY),
    Setting("loop", "own", ("own", "langgraph")),
    Setting("max_rounds", 3),
    Setting("max_seconds", 120.0),
    Setting(
        "room_tokens",
        0,
    ),
    Setting("growth", "linear", ("linear", "exponential")),
    Setting(
        "web",
        "ask",
        ("ask", "on", "off"),
    ),
    Setting("robots", True),
    Setting("box", ""),
    Setting("workers", 2),
    Setting("max_job_seconds", 600.0),
    Setting("keep_steps_days", 365),
    Setting(
        "notify",
        "auto",
        ("auto", "terminal", "off"),
    ),
    Setting(
        "allowed_roots",
        "",
    ),
    Setting("token", "", secret=True),
    Setting("tokens", "", secret=True),
    Setting("user_header", ""),
    Setting(
        "trusted_proxies",
        "",
    ),
    Setting("allowed_hosts", ""),
    Setting("max_connections", 500),
    Setting(
        "allowed_origins",
        "",
    ),
    Setting(
        "allow_private_hosts",
        "",
    ),
    Setting("allow_ports", ""),
    Setting(
        "contact",
        "",
    ),
    Setting(
        "contact_email",
        "",
    ),
    Setting("ncbi_api_key", "", secret=True, pattern=KEY),
    Setting("openalex_api_key", "", secret=True, pattern=KEY),
    Setting(
        "semantic_scholar_key",
        "",
        secret=True,
        pattern=KEY,
    ),
    Setting(
        "brave_api_key",
        "",
        secret=True,
        pattern=KEY,
    ),
    Setting(
        "marginalia_key",
        "",
        secret=True,
        pattern=KEY,
    ),
    Setting("browser_path", ""),
    Setting("browser_seconds", 30.0),
    Setting("browser_memory_mb", 1500),
    Setting("max_tabs", 1),
    Setting("max_file_mb", 50),
    Setting(
        "reader_seconds",
        60.0,
    ),
    Setting("reader_memory_mb", 1024),
    Setting(
        "ocr",
        "auto",
        ("auto", "off"),
    ),
    Setting(
        "log_format",
        "text",
        ("text", "json"),
    ),
    Setting(
        "traces",
        "",
        pattern=rf"|{ADDRESS}",
    ),
    Setting("passage_chars", 500),
    Setting("passage_overlap", 100),
)


def list_full_names(name: str, kind: str = "") -> str:
    """Return the known models that a part of a name may mean, separated by commas; "" for a full name.

    `kind` is a setting: only a reranker's value means a reranker.
    """
    if name in KNOWN_MODELS or len(name) < len("e5-"):
        return ""
    return ", ".join(
        model
        for model in KNOWN_MODELS
        if name.casefold() in model and kind in ("", "reranker" if "reranker" in model else "embedder")
    )
