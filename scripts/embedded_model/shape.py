"""What the steps share: the seed, the vocabulary and the shape of the model."""

SEED = 20251

VOCAB_SIZE = 4096
SPECIAL_TOKENS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")

HIDDEN = 512
LAYERS = 5
HEADS = 4
KV_HEADS = 2
HEAD_DIM = 128
FFN = 768
CONTEXT = 1024
RMS_EPSILON = 1e-6
ROPE_BASE = 10000.0
