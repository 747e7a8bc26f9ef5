#include "engine/synth/model_name.h"

#include <gtest/gtest.h>

#include "engine/core/error.h"

namespace assay {
namespace {

std::string refusal(const std::string& name) {
  try {
    return "taken as " + name_of(parse_synth_name(name));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
}

constexpr const char* kKnown =
    "write SHAPE-QUANT; shapes: tiny, qwen2.5-1.5b, qwen2.5-7b, qwen2.5-14b, llama-3-8b; quants: "
    "q4_k_m, q8_0, f16; an example: synth:tiny-q8_0";

TEST(SynthName, ShapeQuantAndSeed) {
  const SynthModel model = parse_synth_name("synth:qwen2.5-1.5b-q4_k_m@7");
  EXPECT_EQ(model.shape->name, "qwen2.5-1.5b");
  EXPECT_EQ(model.quant, SynthQuant::kQ4KM);
  EXPECT_EQ(model.seed, 7u);
  EXPECT_EQ(name_of(model), "synth:qwen2.5-1.5b-q4_k_m@7");
}

TEST(SynthName, EveryShapeAndQuantIsReadBack) {
  for (const SynthShape& shape : synth_shapes()) {
    for (const SynthQuant quant : {SynthQuant::kQ4KM, SynthQuant::kQ8_0, SynthQuant::kF16}) {
      const SynthModel model{.shape = &shape, .quant = quant, .seed = UINT64_MAX};
      EXPECT_EQ(name_of(parse_synth_name(name_of(model))), name_of(model));
    }
  }
}

TEST(SynthName, TheUsualSeedIsNotWritten) {
  EXPECT_EQ(name_of(parse_synth_name("tiny-f16@1")), "synth:tiny-f16");
  EXPECT_EQ(parse_synth_name("tiny-f16").seed, 1u);
}

TEST(SynthName, WhatIsUnknownIsAnsweredWithWhatIsKnown) {
  EXPECT_EQ(refusal("synth:qwen2.5-3b-q8_0"),
            std::string("synth:qwen2.5-3b-q8_0: no synthetic model has this shape: ") + kKnown);
  EXPECT_EQ(refusal("synth:"), std::string("synth:: no synthetic model has this shape: ") + kKnown);
  EXPECT_EQ(refusal("synth:tinyq8_0"),
            std::string("synth:tinyq8_0: no synthetic model has this shape: ") + kKnown);
  EXPECT_EQ(refusal("synth:tiny-q5_0"),
            std::string("synth:tiny-q5_0: no synthetic model has quant `q5_0`: ") + kKnown);
  EXPECT_EQ(refusal("synth:tiny"), std::string("synth:tiny: the quant is missing: ") + kKnown);
  EXPECT_EQ(refusal("synth:tiny-"), std::string("synth:tiny-: the quant is missing: ") + kKnown);
}

TEST(SynthName, ASeedIsAWholeNumber) {
  for (const char* seed : {"", "x", "-1", "1.5", "18446744073709551616", "1 "}) {
    EXPECT_EQ(refusal(std::string("synth:tiny-q8_0@") + seed),
              std::string("synth:tiny-q8_0@") + seed + ": the seed behind @ is `" + seed +
                  "`; write a whole number from 0 to 18446744073709551615");
  }
}

}  // namespace
}  // namespace assay
