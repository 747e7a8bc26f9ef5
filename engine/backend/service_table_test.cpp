#include "engine/backend/service_table.h"

#include <gtest/gtest.h>

#include "engine/backend/cpu/cpu_here.h"
#include "engine/core/error.h"

namespace assay {
namespace {

constexpr int kMax = std::numeric_limits<int>::max();

ServiceRow row(const std::string& variant, const std::string& key = "", int low = 1,
               int high = kMax) {
  return {.key = key, .low = low, .high = high, .variant = variant};
}

struct Refused {
  ServiceSelection service;
  ErrorKind kind;
  const char* message;
};

TEST(ServiceTable, RefusesAWrongMapBeforeAnythingRuns) {
  const std::vector<Refused> refused{
      {{}, ErrorKind::kUsage, "service map: the model needs rope, for which the map has no row"},
      {{{"rope", {}}}, ErrorKind::kUsage, "service map: rope has no rows; name a variant for it"},
      {{{"rope", {row("rope.cpu.magic")}}},
       ErrorKind::kUsage,
       "service map: rope: no variant is called 'rope.cpu.magic'; `assay levers` lists them"},
      {{{"rope", {row("add.cpu.portable")}}},
       ErrorKind::kUsage,
       "service map: rope: add.cpu.portable is a variant of add, not of rope"},
      {{{"rope", {row("rope.cpu.avx2")}}},
       ErrorKind::kEnvironment,
       "service map: rope: rope.cpu.avx2 needs cpu-avx2, this processor offers cpu"},
      {{{"rope", {row("rope.cpu.portable", "rows")}}},
       ErrorKind::kUsage,
       "service map: rope: key 'rows' is not known; known: '' (always), 'nkv', 't'"},
      {{{"rope", {row("rope.cpu.portable", "nkv", 1, 9), row("rope.cpu.portable", "nkv", 11)}}},
       ErrorKind::kUsage,
       "service map: no row of rope serves t=1, nkv=10; add one"},
      {{{"rope", {row("rope.cpu.portable", "t", 1, 31)}}},
       ErrorKind::kUsage,
       "service map: no row of rope serves t=32, nkv=32; add one"},
      // Rows of ops that the model does not need are checked all the same.
      {{{"rope", {row("rope.cpu.portable")}}, {"add", {row("add.cpu.magic")}}},
       ErrorKind::kUsage,
       "service map: add: no variant is called 'add.cpu.magic'; `assay levers` lists them"},
  };
  const std::vector<std::string> needed{"rope"};
  for (const Refused& one : refused) {
    SCOPED_TRACE(one.message);
    try {
      const ServiceTable table(one.service, needed, 64, 64, cpu_here(CpuLevel::kPortable));
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), one.kind);
      EXPECT_STREQ(error.what(), one.message);
    }
  }
}

TEST(ServiceTable, SelectsTheVariantOfTheRowThatHoldsTheProblem) {
  const ServiceSelection service{{"attention_decode",
                                  {row("attention_decode.cpu.portable[tkv=32]", "nkv", 1, 8),
                                   row("attention_decode.cpu.portable[tkv=64]", "nkv", 9)}}};
  const std::vector<std::string> needed{"attention_decode"};
  const ServiceTable table(service, needed, 64, 64, cpu_here(CpuLevel::kPortable));
  const ServedOp& op = table.at("attention_decode");
  EXPECT_EQ(op.infos[op.select({.t = 1, .nkv = 8})]->id, "attention_decode.cpu.portable[tkv=32]");
  EXPECT_EQ(op.infos[op.select({.t = 1, .nkv = 9})]->id, "attention_decode.cpu.portable[tkv=64]");
}

}  // namespace
}  // namespace assay
