// The assembler copies the file into the read-only data. An array in C++ source was rejected: 8 MB
// of numbers take the compiler a minute and a gigabyte; C++26's #embed is not there yet.
#include "engine/embedded/embedded_model.h"

asm(".section .rodata.assay_embedded_model, \"a\"\n"
    ".balign 64\n"
    ".globl assay_embedded_model_begin\n"
    "assay_embedded_model_begin:\n"
    ".incbin \"" ASSAY_EMBEDDED_FILE
    "\"\n"
    ".globl assay_embedded_model_end\n"
    "assay_embedded_model_end:\n"
    ".byte 0\n"
    ".text\n");

extern "C" {
extern const std::byte assay_embedded_model_begin[];
extern const std::byte assay_embedded_model_end[];
}

namespace assay {

std::span<const std::byte> embedded_model() {
  return {assay_embedded_model_begin, assay_embedded_model_end};
}

}  // namespace assay
