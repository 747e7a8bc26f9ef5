// What a model computes, as plain data: one list of ops for the layers of a batch of prompt rows,
// one for the layers of a decode step, one for the logits of a row.
//
// The lists know neither kernels nor memory. An op names its registry op ("matvec_q4k"), the slots
// that it reads and writes, its weight and its shape but for the number of rows t, which the pass
// gives: one list serves every chunk length and every position. A list per (t, position) was
// rejected, since it would be built anew for each token and say nothing more.
//
// A prompt always takes the prefill list (matmul, attention_prefill), whatever a chunk's t, and a
// generated token the decode list (matvec, attention_decode). The logits of a row come from the one
// output list, with t = 1, for prompt rows too.
#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/model.h"
#include "kernels/selection.h"
#include "kernels/variant.h"

namespace assay {

enum class OpKind {
  kEmbed,
  kRmsNorm,
  kQuantize,
  kHalve,
  kMatmul,  // also the matvec of a decode step
  kAddBias,
  kAddRows,
  kRope,
  kKvStore,
  kAttentionPrefill,
  kAttentionDecode,
  kSwiglu,
  kArgmax,
  // Several of the above in one; engine/graph/fuse.h puts them in.
  kNormQuantize,  // add_rms_norm_quantize
  kNormHalve,
  kSwigluQuantize,
  kSwigluHalve,
  kRopeStore,
};

// Where an operand lies. Each is one buffer of t rows that is reused from layer to layer.
enum class Slot : int {
  kNone,
  kTokens,     // (t)                     int32
  kHidden,     // (t, embedding)          f32, the residual stream
  kNormed,     // (t, embedding)          f32
  kQuantized,  // (t, widest input)       int8 blocks of 32
  kHalved,     // (t, widest input)       f16 with a scale per row
  kQuery,      // (t, heads, head_dim)    f32
  kKey,        // (t, kv_heads, head_dim) f32
  kValue,      // (t, kv_heads, head_dim) f32
  kCache,      // the layer's K and V     f16
  kAttended,   // (t, heads, head_dim)    f32
  kProjected,  // (t, embedding)          f32
  kGate,       // (t, feed_forward)       f32
  kUp,         // (t, feed_forward)       f32
  kLogits,     // (1, vocab)              f32
  kTop,        // (1)                     index, value and runner-up
};
inline constexpr int kSlotCount = static_cast<int>(Slot::kTop) + 1;
std::string_view to_string(Slot slot);

struct GraphOp {
  OpKind kind = OpKind::kEmbed;
  std::string op;  // of the registry
  int layer = -1;  // -1 outside the layers
  Slot in = Slot::kNone;
  Slot in2 = Slot::kNone;
  Slot in3 = Slot::kNone;
  Slot out = Slot::kNone;
  const Weight* weight = nullptr;            // of the Model, which must outlive the graph
  std::array<const Weight*, 3> biases = {};  // of query, key and value; null where there is none
  int n = 0;  // elements per output row (heads for rope and attention)
  int k = 0;  // elements per input row (head_dim for rope, attention and the cache)
};
// "0 matvec_q4k quantized -> query blk.0.attn_q.weight (256, 512)"
std::string to_string(const GraphOp& op);
// Every tensor that the op reads: its weight, then its biases; only those that are there.
std::vector<const Weight*> weights_of(const GraphOp& op);

struct Graph {
  std::vector<GraphOp> prefill;  // tokens -> hidden, t rows
  std::vector<GraphOp> decode;   // tokens -> hidden, one row
  std::vector<GraphOp> output;   // one row of hidden -> logits -> top
};

// In which form each linear op of the prefill list reads its activations, by the op's name; ops
// that are absent read the form of their weight type.
using ActivationForms = std::map<std::string, ActivationForm>;
// As the variants of a service map say. Error(kUsage) where the rows of an op disagree.
ActivationForms forms_of(const ServiceSelection& service);

Graph build_graph(const Model& model, const ActivationForms& forms = {});

// Names of all ops of a graph, each once, in order of first use.
std::vector<std::string> ops_of(const Graph& graph);

}  // namespace assay
