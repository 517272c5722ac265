"""Tiny folders of embedders, with the files that the real ones have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers, processors

WIDTH = 16
TEXTS = ("検索文書: 犬が走る。", "検索クエリ: 猫は眠る", "統計の講義は木曜日である。", "dogs run in the park")


def write_tokenizer(path: Path) -> Tokenizer:
    """As Ruri-v3 has one: pieces of which the first begins with a mark for a space, <s> and </s> around; told
    to pad and to cut, as such files often are."""
    letters = sorted({letter for text in TEXTS for letter in text if letter != " "})
    pieces = [("<s>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("<pad>", 0.0), ("▁", -3.0)]
    pieces += [(letter, -4.0) for letter in letters]
    pieces += [("▁検索", -1.0), ("犬が", -1.0), ("▁犬が", -1.0), ("▁dogs", -1.0)]
    tokenizer = Tokenizer(models.Unigram(pieces, 2, False))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace("▁", "always", False)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> $B:1 </s>:1",
        special_tokens=[("<s>", 0), ("</s>", 1)],
    )
    tokenizer.enable_padding(pad_id=3, pad_token="<pad>", length=40)
    tokenizer.enable_truncation(12)
    path.parent.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(path))
    return tokenizer


def write_onnx(path: Path, table: NDArray[np.float32], *, attends: bool = True) -> None:
    """A graph with the inputs and the output of a ModernBERT: a table of tokens, and one layer of attention
    over what the mask lets through, with a residue and a norm. Without `attends` the rows of the table as
    they are."""
    width = table.shape[1]
    random = np.random.default_rng(7)

    def constant(name: str, array: Any) -> Any:
        return numpy_helper.from_array(np.asarray(array, np.float32), name)

    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
        for name in ("input_ids", "attention_mask")
    ]
    constants = [constant("table", table)]
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["rows"])]
    if attends:
        constants += [constant(f"w{part}", random.normal(size=(width, width)) / 4) for part in "qkv"]
        constants += [constant("scale", width**-0.5), constant("least", -1e9), constant("one", 1.0)]
        constants += [constant("norm", np.ones(width)), constant("bias", np.zeros(width))]
        constants += [numpy_helper.from_array(np.array([1], np.int64), "axis")]
        nodes += [helper.make_node("MatMul", ["rows", f"w{part}"], [part]) for part in "qkv"]
        nodes += [
            helper.make_node("Transpose", ["k"], ["kt"], perm=[0, 2, 1]),
            helper.make_node("MatMul", ["q", "kt"], ["scores"]),
            helper.make_node("Mul", ["scores", "scale"], ["scaled"]),
            helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
            helper.make_node("Unsqueeze", ["mask", "axis"], ["mask3"]),
            helper.make_node("Sub", ["one", "mask3"], ["hidden"]),
            helper.make_node("Mul", ["hidden", "least"], ["barred"]),
            helper.make_node("Add", ["scaled", "barred"], ["open"]),
            helper.make_node("Softmax", ["open"], ["shares"], axis=-1),
            helper.make_node("MatMul", ["shares", "v"], ["seen"]),
            helper.make_node("Add", ["rows", "seen"], ["summed"]),
            helper.make_node("LayerNormalization", ["summed", "norm", "bias"], ["last_hidden_state"]),
        ]
    else:
        nodes += [helper.make_node("Identity", ["rows"], ["last_hidden_state"])]
        inputs = inputs[:1]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "length", width])
    graph = helper.make_graph(nodes, "modernbert", inputs, [output], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model)
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(model, path)


def write_json(path: Path, said: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(said, ensure_ascii=False), "utf-8")


def onnx_folder(root: Path, *, attends: bool = True) -> Tokenizer:
    """A folder as sentence-transformers writes one beside an ONNX file."""
    tokenizer = write_tokenizer(root / "tokenizer.json")
    size = tokenizer.get_vocab_size()
    table = np.random.default_rng(1).normal(size=(size, WIDTH)) if attends else np.eye(size)
    write_onnx(root / "onnx" / "model.onnx", table.astype(np.float32), attends=attends)
    write_json(root / "config.json", {"model_type": "modernbert", "max_position_embeddings": 8192})
    write_json(root / "sentence_bert_config.json", {"max_seq_length": 64})
    write_json(
        root / "config_sentence_transformers.json",
        {"prompts": {"query": "検索クエリ: ", "document": "検索文書: "}, "default_prompt_name": None},
    )
    write_json(
        root / "1_Pooling" / "config.json",
        {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False},
    )
    return tokenizer


def reranker_folder(root: Path, weights: dict[str, float], classes: int = 1, room: int = 512) -> Tokenizer:
    """A cross-encoder whose number is the sum of what its tokens weigh, by their letters; with two classes
    the second one's. Others weigh nothing."""
    tokenizer = write_tokenizer(root / "tokenizer.json")
    table = np.zeros((tokenizer.get_vocab_size(), classes), np.float32)
    for letters, weight in weights.items():
        table[tokenizer.token_to_id(letters), -1] = weight
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "length"])
    logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", classes])
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["rows"]),
        helper.make_node("ReduceSum", ["rows", "axis"], ["logits"], keepdims=0),
    ]
    constants = [
        numpy_helper.from_array(table, "table"),
        numpy_helper.from_array(np.array([1], np.int64), "axis"),
    ]
    graph = helper.make_graph(nodes, "reranker", [ids], [logits], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model)
    (root / "onnx").mkdir(parents=True, exist_ok=True)
    onnx.save(model, root / "onnx" / "model.onnx")
    write_json(root / "config.json", {"model_type": "modernbert", "max_position_embeddings": room})
    return tokenizer


def plain_ids(root: Path, text: str) -> list[int]:
    """The tokens of a text by tokenizer.json itself, nothing padded or cut."""
    tokenizer = Tokenizer.from_file(str(root / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return list(tokenizer.encode(text).ids)


def write_safetensors(path: Path, tensors: dict[str, NDArray[Any]]) -> None:
    """By the format's own description: the length of the header, the header, the tensors."""
    kinds = {"float32": "F32", "float16": "F16", "int64": "I64"}
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    parts = []
    at = 0
    for name, array in tensors.items():
        data = array.tobytes()
        header[name] = {
            "dtype": kinds[str(array.dtype)],
            "shape": list(array.shape),
            "data_offsets": [at, at + len(data)],
        }
        parts.append(data)
        at += len(data)
    head = json.dumps(header).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(len(head).to_bytes(8, "little") + head + b"".join(parts))


def static_folder(root: Path, seed: int, width: int = WIDTH) -> Path:
    """A table of tokens as model2vec writes one, with other numbers for each seed."""
    size = write_tokenizer(root / "tokenizer.json").get_vocab_size()
    table = np.random.default_rng(seed).normal(size=(size, width)).astype(np.float32)
    write_json(root / "config.json", {"model_type": "model2vec"})
    write_safetensors(root / "model.safetensors", {"embeddings": table})
    return root
