#include "engine/manifest/cubin_code.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstring>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "engine/core/sha256.h"

namespace assay {
namespace {

constexpr std::string_view kText = ".text.";
// Records of .nv.info: a byte for the form, a byte for the attribute, then 2 bytes, which in one
// form are the size of a payload behind them.
constexpr unsigned char kSized = 0x04;
constexpr unsigned char kParameterBank = 0x0a;  // symbol of the bank, then offset and size
constexpr unsigned char kExternals = 0x0f;      // symbols

struct InfoRecord {
  unsigned char form = 0, attribute = 0;
  std::string_view payload;
  std::uint32_t word(std::size_t i) const {
    std::uint32_t value;
    std::memcpy(&value, payload.data() + 4 * i, 4);
    return value;
  }
};

std::vector<InfoRecord> info_records(std::string_view bytes) {
  std::vector<InfoRecord> records;
  std::size_t at = 0;
  while (at + 4 <= bytes.size()) {
    InfoRecord record{static_cast<unsigned char>(bytes[at]),
                      static_cast<unsigned char>(bytes[at + 1]), bytes.substr(at + 2, 2)};
    std::size_t size = 0;
    if (record.form == kSized) {
      size = static_cast<unsigned char>(bytes[at + 2]) +
             256u * static_cast<unsigned char>(bytes[at + 3]);
      record.payload = bytes.substr(at + 4, size);
    }
    records.push_back(record);
    at += 4 + size;
  }
  return records;
}

class CubinWalk {
 public:
  explicit CubinWalk(const ObjectFile& cubin) : cubin_(cubin) {
    for (std::uint32_t i = 1; i < cubin.sections.size(); ++i) {
      const std::string& name = cubin.sections[i].name;
      if (name.starts_with(kText)) functions_.emplace(name.substr(kText.size()), i);
    }
  }

  std::optional<std::string> run(const std::string& kernel) {
    if (!functions_.contains(kernel)) return std::nullopt;
    ordinal_of(kernel);
    for (std::size_t i = 0; i < found_.size(); ++i) add_function(found_[i]);
    for (const ObjectSection& section : cubin_.sections) {
      if (is_shared_bank(section.name)) add_section(section);
    }
    return text_;
  }

 private:
  // Sections of variables that any function of the cubin may use.
  static bool is_shared_bank(const std::string& name) {
    return name.starts_with(".nv.global") ||
           (name.starts_with(".nv.constant") && name.find('.', 4) == std::string::npos);
  }

  std::size_t ordinal_of(const std::string& function) {
    const auto [at, added] = ordinals_.try_emplace(function, found_.size());
    if (added) found_.push_back(function);
    return at->second;
  }

  void add_function(const std::string& function) {
    const std::uint32_t code = functions_.at(function);
    std::map<std::string, const ObjectSection*> parts;  // by kind, whatever their order in the file
    for (const ObjectSection& section : cubin_.sections) {
      const std::string& name = section.name;
      if (!name.starts_with(".nv.") || !name.ends_with("." + function)) continue;
      parts[name.substr(0, name.size() - function.size())] = &section;
    }
    add_section(cubin_.sections[code]);
    for (const auto& [kind, section] : parts) {
      if (kind == ".nv.info.") {
        for (const InfoRecord& record : info_records(section->bytes)) add_record(record);
      } else {
        add_section(*section);
      }
    }
    add_resources(code);
  }

  void add_section(const ObjectSection& section) {
    text_ +=
        fmt::format("{} size {} {}\n", label(section), section.size, sha256_hex(section.bytes));
    for (const Relocation& relocation : section.relocations) {
      text_ += fmt::format("{} {} {} {:+}\n", relocation.offset, relocation.type,
                           label(cubin_.symbols[relocation.symbol]), relocation.addend);
    }
  }

  // A section by its kind and the ordinal of the function that it belongs to.
  std::string label(const ObjectSection& section) {
    const std::size_t dot = section.name.find('.', section.name.starts_with(".nv.") ? 4 : 1);
    if (dot == std::string::npos) return section.name;
    const std::string function = section.name.substr(dot + 1);
    if (!functions_.contains(function)) return section.name;
    return fmt::format("{} {}", section.name.substr(0, dot), ordinal_of(function));
  }

  std::string label(const ObjectSymbol& symbol) {
    if (symbol.section == 0) return "outside " + symbol.name;
    return fmt::format("{} at {}", label(cubin_.sections[symbol.section]), symbol.value);
  }

  void add_record(const InfoRecord& record) {
    text_ += fmt::format("info {} {}", record.form, record.attribute);
    std::string_view rest = record.payload;
    if (record.form == kSized && record.attribute == kExternals) {
      for (std::size_t i = 0; i < record.payload.size() / 4; ++i) {
        if (record.word(i) < cubin_.symbols.size()) {
          text_ += ' ' + label(cubin_.symbols[record.word(i)]);
        }
      }
      rest = {};
    } else if (record.form == kSized && record.attribute == kParameterBank && rest.size() >= 4) {
      rest = rest.substr(4);
    }
    for (const char byte : rest) text_ += fmt::format(" {:02x}", static_cast<unsigned char>(byte));
    text_ += '\n';
  }

  // What .nv.info says of a function: pairs of its symbol and a value.
  void add_resources(std::uint32_t code) {
    std::set<std::string> lines;
    for (const ObjectSection& section : cubin_.sections) {
      if (section.name != ".nv.info") continue;
      for (const InfoRecord& record : info_records(section.bytes)) {
        if (record.form != kSized || record.payload.size() != 8) continue;
        const std::uint32_t symbol = record.word(0);
        if (symbol >= cubin_.symbols.size() || cubin_.symbols[symbol].section != code) continue;
        lines.insert(fmt::format("resource {} at {}: {}\n", record.attribute,
                                 cubin_.symbols[symbol].value, record.word(1)));
      }
    }
    for (const std::string& line : lines) text_ += line;
  }

  const ObjectFile& cubin_;
  std::map<std::string, std::uint32_t> functions_;  // section of the code by name
  std::map<std::string, std::size_t> ordinals_;
  std::vector<std::string> found_;
  std::string text_;
};

}  // namespace

std::optional<std::string> cubin_code(const ObjectFile& cubin, const std::string& kernel) {
  return CubinWalk(cubin).run(kernel);
}

}  // namespace assay
