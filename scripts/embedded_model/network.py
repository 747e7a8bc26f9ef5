"""The network, as llama.cpp and this project run architecture qwen2, with dropout to train it."""

import math

from embedded_model.shape import (CONTEXT, FFN, HEADS, HEAD_DIM, HIDDEN, KV_HEADS, LAYERS,
                                  RMS_EPSILON, ROPE_BASE, VOCAB_SIZE)


def make_model(dropout):
    import torch
    from torch import nn
    from torch.nn import functional

    class RmsNorm(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(HIDDEN))

        def forward(self, x):
            wide = x.float()
            wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + RMS_EPSILON)
            return (wide * self.weight).to(x.dtype)

    def rotate(x, cosine, sine):
        """RoPE on the two halves of each head, as qwen2 does it."""
        first, second = x.chunk(2, dim=-1)
        return x * cosine + torch.cat((-second, first), dim=-1) * sine

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.attn_norm = RmsNorm()
            self.attn_q = nn.Linear(HIDDEN, HEADS * HEAD_DIM)
            self.attn_k = nn.Linear(HIDDEN, KV_HEADS * HEAD_DIM)
            self.attn_v = nn.Linear(HIDDEN, KV_HEADS * HEAD_DIM)
            self.attn_output = nn.Linear(HEADS * HEAD_DIM, HIDDEN, bias=False)
            self.ffn_norm = RmsNorm()
            self.ffn_gate = nn.Linear(HIDDEN, FFN, bias=False)
            self.ffn_up = nn.Linear(HIDDEN, FFN, bias=False)
            self.ffn_down = nn.Linear(FFN, HIDDEN, bias=False)

        def forward(self, x, cosine, sine):
            rows, length, _ = x.shape
            drop = dropout if self.training else 0.0
            y = self.attn_norm(x)
            q = self.attn_q(y).view(rows, length, HEADS, HEAD_DIM).transpose(1, 2)
            k = self.attn_k(y).view(rows, length, KV_HEADS, HEAD_DIM).transpose(1, 2)
            v = self.attn_v(y).view(rows, length, KV_HEADS, HEAD_DIM).transpose(1, 2)
            q, k = rotate(q, cosine, sine).to(v.dtype), rotate(k, cosine, sine).to(v.dtype)
            k = k.repeat_interleave(HEADS // KV_HEADS, dim=1)
            v = v.repeat_interleave(HEADS // KV_HEADS, dim=1)
            y = functional.scaled_dot_product_attention(q, k, v, dropout_p=drop, is_causal=True)
            y = self.attn_output(y.transpose(1, 2).reshape(rows, length, HEADS * HEAD_DIM))
            x = x + functional.dropout(y, drop)
            y = self.ffn_norm(x)
            y = self.ffn_down(functional.silu(self.ffn_gate(y)) * self.ffn_up(y))
            return x + functional.dropout(y, drop)

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.token_embd = nn.Embedding(VOCAB_SIZE, HIDDEN)
            self.blk = nn.ModuleList(Layer() for _ in range(LAYERS))
            self.output_norm = RmsNorm()
            for name, parameter in self.named_parameters():
                if parameter.dim() == 2:
                    deep = name.endswith(("attn_output.weight", "ffn_down.weight"))
                    scale = 0.02 / math.sqrt(2 * LAYERS) if deep else 0.02
                    nn.init.normal_(parameter, std=scale)
                elif name.endswith("bias"):
                    nn.init.zeros_(parameter)
            steps = torch.arange(0, HEAD_DIM, 2).float() / HEAD_DIM
            angles = torch.outer(torch.arange(CONTEXT).float(), ROPE_BASE ** -steps)
            angles = torch.cat((angles, angles), dim=-1)
            self.register_buffer("cosine", angles.cos(), persistent=False)
            self.register_buffer("sine", angles.sin(), persistent=False)

        def forward(self, tokens, targets):
            length = tokens.shape[1]
            cosine, sine = self.cosine[:length], self.sine[:length]
            x = functional.dropout(self.token_embd(tokens), dropout if self.training else 0.0)
            for layer in self.blk:
                x = layer(x, cosine, sine)
            logits = functional.linear(self.output_norm(x), self.token_embd.weight)
            return functional.cross_entropy(logits.float().flatten(0, 1), targets.flatten())

    return Model()
