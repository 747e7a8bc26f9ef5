#include "engine/gguf/type_name.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "engine/core/dtype.h"

namespace assay {
namespace {

// GGUF's numbers of types that the engine does not compute with.
constexpr std::array<std::pair<std::uint32_t, std::string_view>, 21> kForeign{{
    {9, "q8_1"},     {10, "q2_K"},  {11, "q3_K"},   {15, "q8_K"},  {16, "iq2_xxs"}, {17, "iq2_xs"},
    {18, "iq3_xxs"}, {19, "iq1_s"}, {20, "iq4_nl"}, {21, "iq3_s"}, {22, "iq2_s"},   {23, "iq4_xs"},
    {24, "i8"},      {25, "i16"},   {26, "i32"},    {27, "i64"},   {28, "f64"},     {29, "iq1_m"},
    {34, "tq1_0"},   {35, "tq2_0"}, {39, "mxfp4"},
}};

}  // namespace

std::string name_of_type(std::uint32_t number) {
  if (const auto dtype = dtype_from_gguf(number)) return std::string(traits(*dtype).name);
  for (const auto& [known, name] : kForeign) {
    if (known == number) return std::string(name);
  }
  return fmt::format("type {}", number);
}

}  // namespace assay
