"""A model file that llama.cpp loads: one small layer of random weights, whose answers are random letters.

The first dimension of every hidden state is constant, as no layer writes to it; its column of the output weights is therefore
a bias for each token, by which answers are ASCII text that ends after a while.
"""

import struct
from pathlib import Path
from typing import Any

import numpy as np

_WIDTH, _FEED, _HEADS, _TRAINED_CONTEXT = 32, 64, 2, 16_384
_SPECIAL = ["<unk>", "<s>", "</s>"]
_ALIGNMENT = 32
_UINT32, _FLOAT32, _STRING, _ARRAY = 4, 6, 8, 9
_INT32 = 5
_NORMAL, _UNKNOWN, _CONTROL, _BYTE = 1, 2, 3, 6
"""Types of tokens."""
_F32 = 0
_LIKELY = frozenset(b" abcdefghijklmnopqrstuvwxyz.")
_RARE, _END_BIAS = -8.0, 2.5
"""Biases of other tokens, and of those that end an answer or a string of JSON: answers are short."""
CHAT_TEMPLATE = "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}\n{% endfor %}assistant: "


def write_tiny_model(path: Path, *, without_tensors: bool = False) -> Path:
    """Write the model file; returns its path.

    Args:
        path: of the file.
        without_tensors: whether it ends behind the metadata, as an interrupted download does.
    """
    tensors = _tensors()
    tokens = [*_SPECIAL, *(f"<0x{byte:02X}>" for byte in range(256))]
    metadata: dict[str, tuple[int, Any]] = {
        "general.architecture": (_STRING, "llama"),
        "general.name": (_STRING, "tiny"),
        "llama.context_length": (_UINT32, _TRAINED_CONTEXT),
        "llama.embedding_length": (_UINT32, _WIDTH),
        "llama.block_count": (_UINT32, 1),
        "llama.feed_forward_length": (_UINT32, _FEED),
        "llama.attention.head_count": (_UINT32, _HEADS),
        "llama.attention.head_count_kv": (_UINT32, _HEADS),
        "llama.attention.layer_norm_rms_epsilon": (_FLOAT32, 1e-5),
        "llama.rope.dimension_count": (_UINT32, _WIDTH // _HEADS),
        "tokenizer.ggml.model": (_STRING, "llama"),
        "tokenizer.ggml.tokens": (_ARRAY, (_STRING, tokens)),
        "tokenizer.ggml.scores": (_ARRAY, (_FLOAT32, [0.0] * len(tokens))),
        "tokenizer.ggml.token_type": (_ARRAY, (_INT32, [_UNKNOWN, _CONTROL, _CONTROL, *[_BYTE] * 256])),
        "tokenizer.ggml.bos_token_id": (_UINT32, 1),
        "tokenizer.ggml.eos_token_id": (_UINT32, 2),
        "tokenizer.chat_template": (_STRING, CHAT_TEMPLATE),
    }
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata))
    head += b"".join(
        _text(key) + struct.pack("<I", kind) + _value(kind, value) for key, (kind, value) in metadata.items()
    )
    offset, infos, data = 0, b"", b""
    for name, tensor in tensors.items():
        shape = tensor.shape[::-1]
        infos += _text(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *shape) + struct.pack("<IQ", _F32, offset)
        data += _padded(tensor.astype("<f4").tobytes())
        offset = len(data)
    path.write_bytes(_padded(head + infos) + (b"" if without_tensors else data))
    return path


def _tensors() -> dict[str, "np.ndarray[Any, np.dtype[np.float32]]"]:
    random = np.random.default_rng(7)
    size = len(_SPECIAL) + 256

    def weights(*shape: int) -> "np.ndarray[Any, np.dtype[np.float32]]":
        return random.normal(0, 0.3, shape).astype(np.float32)

    def writing(*shape: int) -> "np.ndarray[Any, np.dtype[np.float32]]":
        tensor = weights(*shape)
        tensor[0] = 0  # nothing is written to the constant dimension
        return tensor

    embedding, output = weights(size, _WIDTH), weights(size, _WIDTH)
    embedding[:, 0] = 4.0
    output[:, 0] = _RARE
    for byte in _LIKELY:
        output[len(_SPECIAL) + byte, 0] = 0.0
    for token in (_SPECIAL.index("</s>"), len(_SPECIAL) + ord('"')):
        output[token, 0] = _END_BIAS
    one = np.ones(_WIDTH, np.float32)
    return {
        "token_embd.weight": embedding,
        "output_norm.weight": one,
        "output.weight": output,
        "blk.0.attn_norm.weight": one,
        "blk.0.attn_q.weight": weights(_WIDTH, _WIDTH),
        "blk.0.attn_k.weight": weights(_WIDTH, _WIDTH),
        "blk.0.attn_v.weight": weights(_WIDTH, _WIDTH),
        "blk.0.attn_output.weight": writing(_WIDTH, _WIDTH),
        "blk.0.ffn_norm.weight": one,
        "blk.0.ffn_gate.weight": weights(_FEED, _WIDTH),
        "blk.0.ffn_up.weight": weights(_FEED, _WIDTH),
        "blk.0.ffn_down.weight": writing(_WIDTH, _FEED),
    }


def _text(text: str) -> bytes:
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw


def _value(kind: int, value: Any) -> bytes:
    if kind == _STRING:
        return _text(value)
    if kind == _ARRAY:
        inner, items = value
        return struct.pack("<IQ", inner, len(items)) + b"".join(_value(inner, item) for item in items)
    return struct.pack({_UINT32: "<I", _INT32: "<i", _FLOAT32: "<f"}[kind], value)


def _padded(raw: bytes) -> bytes:
    return raw + b"\0" * (-len(raw) % _ALIGNMENT)
