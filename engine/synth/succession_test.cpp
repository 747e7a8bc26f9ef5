#include "engine/synth/succession.h"

#include <gtest/gtest.h>

#include "engine/synth/blocks.h"
#include "engine/synth/tensors.h"

namespace assay {
namespace {

TEST(Succession, OneCycleGoesThroughAllTokensOfEveryShape) {
  std::vector<std::uint32_t> vocabularies{2, 3, 4, 7, 8, 12, 300, 1001};
  for (const SynthShape& shape : synth_shapes()) {
    vocabularies.push_back(static_cast<std::uint32_t>(shape.vocab));
  }
  for (const std::uint32_t vocab : vocabularies) {
    for (const std::uint64_t seed : {0u, 1u, 99u}) {
      const Succession map = succession_of(vocab, seed);
      std::uint32_t token = 0, steps = 0;
      do {
        token = map.after(token);
        ++steps;
      } while (token != 0 && steps <= vocab);
      EXPECT_EQ(steps, vocab) << "seed " << seed;
    }
  }
}

TEST(Succession, TheTokenBeforeIsTheInverse) {
  for (const std::uint32_t vocab : {7u, 2000u, 151'936u}) {
    const Succession map = succession_of(vocab, 5);
    SynthPlant plant;
    plant.vocab = vocab;
    plant.inverse = map.inverse;
    plant.shift = map.shift;
    for (std::uint32_t token = 0; token < vocab; ++token) {
      ASSERT_EQ(token_before(plant, map.after(token)), token);
    }
  }
}

TEST(Succession, AnotherSeedIsAnotherMap) {
  EXPECT_NE(succession_of(2000, 1).shift, succession_of(2000, 2).shift);
}

}  // namespace
}  // namespace assay
