// Fuzz target: any line is a request, or gives one Error(kUsage) of one line.
//
// A line that parses is read as every kind of request; what is accepted must survive being written
// and read again.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/core/error.h"
#include "engine/protocol/messages.h"
#include "engine/protocol/request_fields.h"

namespace assay {
namespace {

using Json = nlohmann::json;

// Reads it or throws Error(kUsage) of one line.
template <typename T>
void check(const std::string& name, const Json& request) {
  try {
    const Json written = read_request<T>(name, request);
    // As it travels; texts come from a parser, so they are UTF-8.
    const Json again = read_request<T>(name, parse_request(written.dump()));
    if (again != written) std::abort();
  } catch (const Error& error) {
    const std::string_view message = error.what();
    const bool fits = error.kind() == ErrorKind::kUsage && message.starts_with(name) &&
                      message.find('\n') == std::string_view::npos;
    if (!fits) std::abort();
  }
}

void check_line(std::string_view line) {
  Json request;
  try {
    request = parse_request(line);
  } catch (const Error& error) {
    const std::string_view message = error.what();
    if (error.kind() != ErrorKind::kUsage || !message.starts_with("request: ")) std::abort();
    return;
  }
  check<LoadRequest>("load", request);
  check<TokenizeRequest>("tokenize", request);
  check<DetokenizeRequest>("detokenize", request);
  check<WorkRequest>("work", request);
  check<KernelCasesRequest>("kernel_cases", request);
  check<ResourcesRequest>("resources", request);
}

}  // namespace
}  // namespace assay

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  assay::check_line(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
