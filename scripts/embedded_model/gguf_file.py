"""Steps gguf and quantize: the trained weights as an F16 file, then by llama.cpp's quantiser."""

import json

from embedded_model.shape import (CONTEXT, FFN, HEADS, HIDDEN, KV_HEADS, LAYERS, RMS_EPSILON,
                                  ROPE_BASE, SPECIAL_TOKENS, VOCAB_SIZE)


def run_gguf(args):
    import gguf
    import numpy

    weights = {}
    for path in sorted(args.build.glob("weights_*.npz")):
        weights.update(numpy.load(path))
    tokenizer = json.loads((args.build / "tokenizer.json").read_text(encoding="utf-8"))
    vocabulary = dict(tokenizer["model"]["vocab"])
    vocabulary.update({t["content"]: t["id"] for t in tokenizer["added_tokens"]})
    tokens = sorted(vocabulary, key=vocabulary.get)
    if [vocabulary[t] for t in tokens] != list(range(VOCAB_SIZE)):
        raise SystemExit("the token ids are not 0 to the vocabulary's size")
    kinds = [gguf.TokenType.CONTROL if t in SPECIAL_TOKENS else gguf.TokenType.NORMAL
             for t in tokens]
    merges = [m if isinstance(m, str) else " ".join(m) for m in tokenizer["model"]["merges"]]

    writer = gguf.GGUFWriter(args.build / "embedded-f16.gguf", "qwen2")
    writer.add_name("Assay embedded")
    writer.add_license("CC0-1.0")
    writer.add_description(
        "A small English model trained from scratch on public-domain text: the King James Bible, "
        "the novels of Jane Austen, Herman Melville's Moby-Dick, the Jargon File and Ambrose "
        "Bierce's Devil's Dictionary")
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16)
    writer.add_vocab_size(VOCAB_SIZE)
    writer.add_block_count(LAYERS)
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(HIDDEN)
    writer.add_feed_forward_length(FFN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_layer_norm_rms_eps(RMS_EPSILON)
    writer.add_rope_freq_base(ROPE_BASE)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_merges(merges)
    writer.add_bos_token_id(vocabulary["<|endoftext|>"])
    writer.add_eos_token_id(vocabulary["<|endoftext|>"])
    writer.add_pad_token_id(vocabulary["<|endoftext|>"])
    writer.add_add_bos_token(False)
    for name, array in weights.items():
        writer.add_tensor(name, numpy.ascontiguousarray(array))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def quantized(source, target, file_type):
    import llama_cpp

    parameters = llama_cpp.llama_model_quantize_default_params()
    parameters.ftype = file_type
    parameters.nthread = 1
    parameters.allow_requantize = True
    result = llama_cpp.llama_model_quantize(
        str(source).encode(), str(target).encode(), parameters)
    if result != 0:
        raise SystemExit(f"quantising to {target} failed with {result}")


def run_quantize(args):
    import gguf
    import llama_cpp

    output = args.output or args.build / "embedded.gguf"
    quantized(args.build / "embedded-f16.gguf", output, llama_cpp.LLAMA_FTYPE_MOSTLY_Q4_K_M)
    quantized(output, args.build / "embedded-q8_0.gguf", llama_cpp.LLAMA_FTYPE_MOSTLY_Q8_0)
    for tensor in gguf.GGUFReader(output).tensors:
        print(f"{tensor.name:28} {tensor.tensor_type.name:6} {tensor.shape.tolist()}")
    print(f"{output}: {output.stat().st_size} bytes")
