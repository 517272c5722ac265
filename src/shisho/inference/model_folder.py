"""Read the folder of an embedder.

Reads the files of sentence-transformers, model2vec and transformers.

`shisho.json` in the folder overrides all of them:
{"passage": "検索文書: ", "query": "検索クエリ: ", "pooling": "mean", "file": "onnx/model.onnx",
"max_tokens": 512, "dimensions": 256, "share": {"japanese": 0.002, "english": 0.01}, "meaning_floor": 0.3}.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from shisho.domain.embedding import EmbedderAbout, WordShare
from shisho.errors import InvalidParams
from shisho.messages.system import explain_error
from shisho.records import dataclass

# Eight bits first: they take half the CPU time, with the same ranking.
ONNX_FILES = tuple(
    f"{folder}{name}.onnx"
    for name in (
        "model_quantized",
        "model_int8",
        "model.int8",
        "model_qint8_avx512_vnni",
        "model_qint8_arm64",
        "model",
    )
    for folder in ("onnx/", "")
)
STATIC_FILES = (
    "0_StaticEmbedding/model.safetensors",
    "model.safetensors",
    "embeddings.safetensors",
    "0_StaticEmbedding/model.npz",
    "model.npz",
    "embeddings.npz",
)
# Model families whose files lack the prefixes that their model cards prescribe.
FAMILY_PREFIXES = {
    "ruri-v3": ("検索文書: ", "検索クエリ: "),
    "e5": ("passage: ", "query: "),
}
PASSAGE_NAMES = ("document", "passage", "corpus")
POOLING = {
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_lasttoken": "lasttoken",
}
MAX_TOKENS = 1_024  # no passage has more; it also bounds the cost of a query
SAMPLED = 1 << 16  # bytes read at each place of a large file
PLACES = 16
USUAL_SHARE = WordShare()
USUAL_FLOOR = EmbedderAbout("").meaning_floor


class FolderKind(StrEnum):
    """The kind of file that computes the vectors of a folder."""

    ONNX = "onnx"
    STATIC = "static"
    TORCH = "torch"


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """The description of an embedder's folder.

    `weights` and `tokenizer` are files, or the folder itself for `TORCH`. `dimensions`: the leading numbers
    of a vector that are kept, 0 for all.
    """

    root: Path
    kind: FolderKind
    weights: Path
    tokenizer: Path
    passage: str = ""
    query: str = ""
    pooling: str = "mean"
    max_tokens: int = 512
    dimensions: int = 0
    share: WordShare = USUAL_SHARE
    meaning_floor: float = USUAL_FLOOR

    @property
    def name(self) -> str:
        """Return the folder's name and a fingerprint of everything that a vector depends on."""
        traits = (self.kind, self.passage, self.query, self.pooling, self.max_tokens, self.dimensions)
        digest = hashlib.sha256(json.dumps(traits, ensure_ascii=False).encode())
        for file in (
            (self.tokenizer, self.weights) if self.kind is not FolderKind.TORCH else _list_all(self.root)
        ):
            _sample(file, digest)
        return f"{self.root.name} {digest.hexdigest()[:12]}"

    def describe(self, choice: str) -> EmbedderAbout:
        """Describe the embedder of this folder; `choice` is the setting's value that selects it."""
        return EmbedderAbout(self.name, choice, self.share, self.meaning_floor)


def read_folder(root: Path) -> ModelFolder:
    """Read a folder. Raises: InvalidParams with the missing parts."""
    overrides = _read_json(root / "shisho.json")
    kind, weights = _find_weights(root, overrides)
    passage, query = _read_prefixes(root, overrides)
    return ModelFolder(
        root,
        kind,
        weights,
        _find_tokenizer(root, weights, kind),
        passage,
        query,
        str(overrides.get("pooling") or (_read_pooling(root) if kind is FolderKind.ONNX else "")),
        int(overrides.get("max_tokens") or _read_max_tokens(root)),
        int(overrides.get("dimensions") or 0),
        _share(overrides.get("share") or {}),
        float(overrides.get("meaning_floor") or USUAL_FLOOR),
    )


def list_needed_files(paths: Iterable[str]) -> list[str]:
    """Return the model files that an embedder reads, in order.

    Its descriptions and the best weights.
    """
    names = sorted(paths)
    weights = next((name for name in (*ONNX_FILES, *STATIC_FILES[:3]) if name in names), None)
    described = [
        name
        for name in names
        if name.endswith((".json", ".txt")) and (name.count("/") == 0 or name.split("/")[0][:1].isdigit())
    ]
    beside = [name for name in names if weights and name in (weights, f"{weights}_data", f"{weights}.data")]
    return [*described, *(name for name in names if name.upper().startswith("LICENSE")), *beside]


def _find_weights(root: Path, overrides: Mapping[str, Any]) -> tuple[FolderKind, Path]:
    chosen_files = [str(overrides["file"])] if overrides.get("file") else []
    onnx = [
        name for name in (*chosen_files, *ONNX_FILES) if name.endswith(".onnx") and (root / name).is_file()
    ]
    if onnx:
        return FolderKind.ONNX, root / onnx[0]
    static = [name for name in (*chosen_files, *STATIC_FILES) if (root / name).is_file()]
    if static and _read_model_type(root) in ("", "model2vec") and "Transformer" not in _list_modules(root):
        return FolderKind.STATIC, root / static[0]
    if (root / "modules.json").is_file() or (root / "config.json").is_file():
        return FolderKind.TORCH, root
    raise InvalidParams(
        "embedder.folder_incomplete",
        folder=root,
    )


def _find_tokenizer(root: Path, weights: Path, kind: FolderKind) -> Path:
    if kind is FolderKind.TORCH:
        return root
    for place in (weights.parent, root):
        if (place / "tokenizer.json").is_file():
            return place / "tokenizer.json"
    raise InvalidParams("embedder.no_tokenizer", folder=root)


def _read_prefixes(root: Path, overrides: Mapping[str, Any]) -> tuple[str, str]:
    """Return the prefixes of passages and queries.

    Those of the folder, else those of its family.
    """
    prompts = _read_json(root / "config_sentence_transformers.json").get("prompts") or {}
    config = {name: text for name, text in prompts.items() if isinstance(text, str)}
    passage = next((config[name] for name in PASSAGE_NAMES if config.get(name)), "")
    query = config.get("query", "")
    if not (passage or query):
        full_name = f"{root.name} {_read_json(root / 'config.json').get('_name_or_path', '')}".lower()
        passage, query = next((pair for part, pair in FAMILY_PREFIXES.items() if part in full_name), ("", ""))
    return str(overrides.get("passage", passage)), str(overrides.get("query", query))


def _read_pooling(root: Path) -> str:
    config = _read_json(root / "1_Pooling" / "config.json")
    modes = [mode for name, mode in POOLING.items() if config.get(name)]
    if isinstance(config.get("pooling_mode"), str):
        modes = [config["pooling_mode"]]
    if len(modes) > 1 or (modes and modes[0] not in POOLING.values()) or "Dense" in _list_modules(root):
        raise InvalidParams(
            "embedder.needs_torch",
            folder=root,
            modes=" + ".join([*modes, *_list_modules(root)]),
        )
    return modes[0] if modes else "mean"


def _read_max_tokens(root: Path) -> int:
    limits = [
        _read_json(root / "sentence_bert_config.json").get("max_seq_length"),
        _read_json(root / "tokenizer_config.json").get("model_max_length"),
        _read_json(root / "config.json").get("max_position_embeddings"),
    ]
    lengths = [int(length) for length in limits if isinstance(length, (int, float)) and length > 0]
    return min([*lengths, MAX_TOKENS])


def _list_modules(root: Path) -> list[str]:
    """Return the last parts of the module names, such as Transformer, Pooling, Normalize."""
    steps = _read_json(root / "modules.json", [])
    return [str(step.get("type", "")).rpartition(".")[2] for step in steps if isinstance(step, dict)]


def _read_model_type(root: Path) -> str:
    return str(_read_json(root / "config.json").get("model_type", ""))


def _share(shares: Mapping[str, Any]) -> WordShare:
    default = USUAL_SHARE
    return WordShare(
        float(shares.get("japanese", default.japanese)), float(shares.get("english", default.english))
    )


def _read_json(path: Path, default: Any = None) -> Any:
    """Read a JSON file; return the default if it is missing.

    Raises: InvalidParams if it is invalid.
    """
    empty: Any = {} if default is None else default
    try:
        config = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return empty
    except (OSError, ValueError) as error:
        raise InvalidParams("embedder.file_unreadable", path=path, why=explain_error(error)) from error
    return config if isinstance(config, type(empty)) else empty


def _list_all(root: Path) -> list[Path]:
    return sorted(path for path in root.rglob("*") if path.is_file() and path.name != "manifest.json")


def _sample(path: Path, digest: Any) -> None:
    """Hash the size of a file, and samples of a large one.

    Reading it all adds a second to each start.
    """
    size = path.stat().st_size
    digest.update(f"{path.name} {size}\n".encode())
    with path.open("rb") as file:
        step = max(SAMPLED, size // PLACES)
        for place in range(0, size, step):
            file.seek(place)
            digest.update(file.read(SAMPLED))
        file.seek(max(0, size - SAMPLED))
        digest.update(file.read(SAMPLED))
