#include "engine/manifest/kernel_stubs.h"

#include <elf.h>
#include <fmt/format.h>

#include <optional>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/sha256.h"
#include "engine/manifest/cubin_code.h"
#include "engine/manifest/fat_binary.h"
#include "engine/manifest/ptx_code.h"

namespace assay {
namespace {

// The text that a relocation means, when it lies among an object's strings.
std::optional<std::string> string_at(const ObjectFile& object, const Relocation& relocation) {
  const ObjectSymbol& symbol = object.symbols[relocation.symbol];
  const ObjectSection& section = object.sections[symbol.section];
  if (!section.name.starts_with(".rodata")) return std::nullopt;
  const std::int64_t at = static_cast<std::int64_t>(symbol.value) + relocation.addend +
                          field_distance(object.machine, relocation.type);
  if (at < 0 || at >= static_cast<std::int64_t>(section.bytes.size())) return std::nullopt;
  return std::string(section.bytes.c_str() + at);
}

// The arguments of one call, as far as relocations have them.
struct Registration {
  std::uint32_t stub = 0;
  std::string kernel;
};

void add(const ObjectFile& object, const Registration& call,
         std::map<std::uint32_t, std::string>& kernels) {
  if (call.stub == 0 || call.kernel.empty()) {
    throw Error(ErrorKind::kBaseline,
                fmt::format("{}: a kernel is registered in an unknown form; build it again with a "
                            "known nvcc (11 to 13)",
                            object.name));
  }
  const auto [at, added] = kernels.emplace(call.stub, call.kernel);
  if (added || at->second == call.kernel) return;
  throw Error(ErrorKind::kBaseline,
              fmt::format("{}: the stubs of {} and {} have no sections of their own; compile with "
                          "-Xcompiler=-ffunction-sections,-fdata-sections",
                          object.name, at->second, call.kernel));
}

void read_registrations(const ObjectFile& object, std::uint32_t where,
                        std::map<std::uint32_t, std::string>& kernels) {
  Registration call;
  for (const Relocation& relocation : object.sections[where].relocations) {
    const ObjectSymbol& target = object.symbols[relocation.symbol];
    if (target.section == 0 && target.name.starts_with("__cuda")) {
      if (target.name == "__cudaRegisterFunction") add(object, call, kernels);
      call = {};
    } else if ((object.sections[target.section].flags & SHF_EXECINSTR) != 0) {
      call.stub = target.section;
    } else if (const auto text = string_at(object, relocation)) {
      call.kernel = *text;
    }
  }
}

}  // namespace

std::map<std::uint32_t, std::string> registered_kernels(const ObjectFile& object) {
  std::map<std::uint32_t, std::string> kernels;
  for (std::uint32_t i = 1; i < object.sections.size(); ++i) {
    if ((object.sections[i].flags & SHF_EXECINSTR) == 0) continue;
    for (const Relocation& relocation : object.sections[i].relocations) {
      if (object.symbols[relocation.symbol].name != "__cudaRegisterFunction") continue;
      read_registrations(object, i, kernels);
      break;
    }
  }
  return kernels;
}

std::map<std::uint32_t, std::string> kernels_by_stub(const ObjectFile& object) {
  std::map<std::uint32_t, std::string> names = registered_kernels(object);
  std::map<std::uint32_t, std::string> texts, hashes;
  if (names.empty()) return hashes;
  for (DeviceImage& image : device_images(object)) {
    const bool is_ptx = image.kind == DeviceImage::Kind::kPtx;
    std::optional<PtxModule> ptx;
    ObjectFile cubin;
    if (is_ptx) {
      ptx.emplace(image.bytes);
    } else {
      cubin = read_cubin(std::move(image.bytes), object.name + "[cubin]");
    }
    for (const auto& [stub, kernel] : names) {
      const auto code = is_ptx ? ptx->code(kernel) : cubin_code(cubin, kernel);
      if (!code) continue;
      texts[stub] += fmt::format("{} {}\n{}", is_ptx ? "ptx" : "cubin", image.architecture, *code);
    }
  }
  for (const auto& [stub, kernel] : names) {
    if (!texts.contains(stub)) {
      throw Error(ErrorKind::kBaseline,
                  fmt::format("{}: no image of the fat binary holds the kernel {}; build it again",
                              object.name, kernel));
    }
    hashes[stub] = sha256_hex(texts[stub]);
  }
  return hashes;
}

}  // namespace assay
