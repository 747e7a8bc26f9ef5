#include "engine/manifest/code_hash.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "engine/core/error.h"
#include "engine/core/sha256.h"

namespace assay {
namespace {

constexpr std::string_view kLaunch = "assay_launch_";
constexpr std::string_view kCount = "assay_count_";

bool starts_with_any(const std::string& name, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

// How a relocation's target section enters the hash.
enum class Treatment {
  kWalk,      // its bytes and relocations
  kConstant,  // the bytes of the one entry that is meant
  kIgnore,    // unwinding, strings, names of types
};

Treatment treatment(const ObjectSection& section) {
  if ((section.flags & SHF_ALLOC) == 0) return Treatment::kIgnore;
  if (starts_with_any(section.name, {".eh_frame", ".gcc_except_table", ".note", ".rodata._ZTS",
                                     ".data.rel.local.DW.ref."})) {
    return Treatment::kIgnore;
  }
  if ((section.flags & SHF_MERGE) == 0) return Treatment::kWalk;
  return (section.flags & SHF_STRINGS) != 0 ? Treatment::kIgnore : Treatment::kConstant;
}

// The bytes of the constant that a relocation means, and the place in it. An immediate operand
// after the field makes the addend up to 4 smaller; constants start at multiples of 4, so rounding
// up undoes that.
std::string constant_text(const ObjectFile& object, const ObjectSection& section,
                          const Relocation& relocation, const ObjectSymbol& symbol) {
  const std::int64_t distance = field_distance(object.machine, relocation.type);
  std::int64_t within = relocation.addend + distance;
  if (distance != 0) within = (within + 3) / 4 * 4;
  const std::int64_t at = static_cast<std::int64_t>(symbol.value) + within;
  const auto entry = static_cast<std::int64_t>(section.entry_size);
  if (entry <= 0 || at < 0 || at + 1 > static_cast<std::int64_t>(section.bytes.size())) {
    return "constants " + sha256_hex(section.bytes);
  }
  std::string text = fmt::format("constant {} ", at % entry);
  for (const char byte : section.bytes.substr(static_cast<std::size_t>(at / entry * entry),
                                              static_cast<std::size_t>(entry))) {
    text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return text;
}

class Walk {
 public:
  Walk(const ObjectSet& set, const std::string& self) : set_(set), self_(self) {}

  CodeHash run(const SymbolPlace& start) {
    ordinal_of(*start.object, start.symbol->section);
    for (std::size_t i = 0; i < found_.size(); ++i) add_section(i);
    return {hash_.hex(), {reaches_.begin(), reaches_.end()}};
  }

 private:
  struct Place {
    const ObjectFile* object;
    std::uint32_t section;
    auto operator<=>(const Place&) const = default;
  };

  std::size_t ordinal_of(const ObjectFile& object, std::uint32_t section) {
    const Place place{&object, section};
    const auto [at, added] = ordinals_.try_emplace(place, found_.size());
    if (added) found_.push_back(place);
    return at->second;
  }

  void add_section(std::size_t ordinal) {
    const ObjectFile& object = *found_[ordinal].object;
    const ObjectSection& section = object.sections[found_[ordinal].section];
    const std::uint64_t kind = section.flags & (SHF_WRITE | SHF_EXECINSTR | SHF_TLS);
    hash_.update(fmt::format("section {} kind {} size {}\n", ordinal, kind, section.size));
    hash_.update(section.bytes);
    for (const Relocation& relocation : section.relocations) {
      hash_.update(fmt::format("\n{} {} {}", relocation.offset, relocation.type,
                               target_text(object, relocation)));
    }
    hash_.update("\n");
    const auto kernel = object.kernels.find(found_[ordinal].section);
    if (kernel != object.kernels.end()) hash_.update("kernel " + kernel->second + "\n");
  }

  std::string target_text(const ObjectFile& object, const Relocation& relocation) {
    const ObjectSymbol& symbol = object.symbols[relocation.symbol];
    if (std::string variant = variant_text(symbol); !variant.empty()) {
      return fmt::format("{} {:+}", variant, relocation.addend);
    }
    SymbolPlace place{&object, &symbol};
    if (symbol.section == 0) {
      const auto found = set_.globals.find(symbol.name);
      if (found == set_.globals.end()) {
        return fmt::format("outside {} {:+}", symbol.name, relocation.addend);
      }
      place = found->second;
    }
    const ObjectSection& section = place.object->sections[place.symbol->section];
    switch (treatment(section)) {
      case Treatment::kIgnore:
        return "ignored";
      case Treatment::kConstant:
        return constant_text(*place.object, section, relocation, *place.symbol);
      case Treatment::kWalk:
        break;
    }
    return fmt::format("at {} {:+}", ordinal_of(*place.object, place.symbol->section),
                       static_cast<std::int64_t>(place.symbol->value) + relocation.addend);
  }

  // Names of launch functions and counters, which are not walked. Local names (a launcher's cold
  // part) are ordinary code.
  std::string variant_text(const ObjectSymbol& symbol) {
    if (!symbol.is_global) return "";
    const std::string& name = symbol.name;
    for (const std::string_view prefix : {kLaunch, kCount}) {
      if (!name.starts_with(prefix)) continue;
      const std::string variant = name.substr(prefix.size());
      if (variant == self_) return prefix == kLaunch ? "self-launch" : "self-count";
      reaches_.insert(variant);
      return "variant " + name;
    }
    return "";
  }

  const ObjectSet& set_;
  const std::string& self_;
  Sha256 hash_;
  std::map<Place, std::size_t> ordinals_;
  std::vector<Place> found_;
  std::set<std::string> reaches_;
};

}  // namespace

std::optional<CodeHash> hash_code(const ObjectSet& set, const std::string& symbol) {
  const auto start = set.globals.find(std::string(kLaunch) + symbol);
  if (start == set.globals.end()) return std::nullopt;
  const ObjectFile& object = *start->second.object;
  if (object.sections[start->second.symbol->section].name == ".text") {
    throw Error(ErrorKind::kBaseline,
                fmt::format("{}: {} has no section of its own; compile with -ffunction-sections "
                            "-fdata-sections",
                            object.name, start->first));
  }
  return Walk(set, symbol).run(start->second);
}

}  // namespace assay
