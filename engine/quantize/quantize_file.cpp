#include "engine/quantize/quantize_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/thread_pool.h"
#include "engine/gguf/writer.h"
#include "engine/quantize/quantize_row.h"
#include "kernels/blocks.h"

namespace assay {
namespace {

constexpr std::uint64_t kPieceElements = std::uint64_t{1}
                                         << 20;  // rows are taken this many at once

[[noreturn]] void refuse(const GgufFile& file, const GgufTensor& tensor, const std::string& text) {
  throw Error(ErrorKind::kUsage, fmt::format("{}: tensor {} {}: {}", file.name(), tensor.index,
                                             assay::quoted(tensor.name), text));
}

void check_source(const GgufFile& file, const GgufTensor& tensor, const TensorChoice& choice) {
  const DType from = *file.require_tensor(tensor.name).dtype;
  if (from == choice.dtype || is_float(from) || is_float(choice.dtype)) return;
  refuse(
      file, tensor,
      fmt::format("is {} already, and {} would round it a second time: start from the f16 or f32 "
                  "file, or make one with --type f16 first",
                  traits(from).name, traits(choice.dtype).name));
}

std::uint64_t rows_of(const GgufTensor& tensor) {
  return tensor.elements() / tensor.ne[0];
}

GgufContent content_for(const GgufFile& file, const std::vector<TensorChoice>& choices,
                        const Mixture& mixture) {
  GgufContent content{.version = file.version(),
                      .alignment = file.alignment(),
                      .metadata = EncodedMetadata::copy_of(file.metadata()),
                      .tensors = {}};
  content.metadata.set("general.file_type", mixture.file_type);
  content.metadata.set("general.quantization_version", std::uint32_t{2});
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const GgufTensor& tensor = file.tensors()[i];
    const DType dtype = choices[i].dtype;
    content.tensors.push_back({.name = std::string(tensor.name),
                               .ne = {tensor.ne.begin(), tensor.ne.begin() + tensor.dims},
                               .type_number = static_cast<std::uint32_t>(dtype),
                               .bytes = rows_of(tensor) * row_bytes(dtype, tensor.ne[0])});
  }
  return content;
}

// Rows of a tensor as rows of another type, piece by piece.
class RowConverter {
 public:
  RowConverter(const GgufFile& file, ThreadPool& pool, const std::function<bool()>& stop)
      : file_(file), pool_(pool), stop_(stop) {}

  void convert(const GgufTensor& tensor, DType to, GgufWriter& writer) {
    const std::uint64_t rows = rows_of(tensor);
    const std::uint64_t at_once = std::max<std::uint64_t>(1, kPieceElements / tensor.ne[0]);
    for (std::uint64_t first = 0; first < rows; first += at_once) {
      check_stopped();
      convert_rows(tensor, to, first, std::min(at_once, rows - first), writer);
    }
  }

  void check_stopped() const {
    if (!stop_ || !stop_()) return;
    throw Error(ErrorKind::kInconclusive, "stopped before all was written; no file was made");
  }

 private:
  void convert_rows(const GgufTensor& tensor, DType to, std::uint64_t first, std::uint64_t rows,
                    GgufWriter& writer) {
    const std::size_t k = tensor.ne[0];
    const std::size_t from_bytes = row_bytes(*tensor.dtype, k);
    const std::size_t to_bytes = row_bytes(to, k);
    floats_.resize(rows * k);
    bytes_.resize(*tensor.dtype == to ? 0 : rows * to_bytes);
    problems_.assign(rows, {});
    pool_.parallel_for(
        static_cast<std::int64_t>(rows), 1, [&](std::int64_t begin, std::int64_t end) {
          for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end);
               ++row) {
            const std::span<float> x(floats_.data() + row * k, k);
            dequantize_row(*tensor.dtype, tensor.data.data() + (first + row) * from_bytes,
                           static_cast<int>(k), x.data());
            problems_[row] = *tensor.dtype == to
                                 ? what_is_not_finite(x)
                                 : quantize_row(to, x, bytes_.data() + row * to_bytes);
          }
        });
    for (std::size_t row = 0; row < rows; ++row) {
      if (problems_[row].empty()) continue;
      refuse(file_, tensor,
             fmt::format("row {}: {}: convert the model again", first + row, problems_[row]));
    }
    const auto same = tensor.data.subspan(first * from_bytes, rows * from_bytes);
    writer.write(*tensor.dtype == to ? same : std::span<const std::byte>(bytes_));
  }

  const GgufFile& file_;
  ThreadPool& pool_;
  const std::function<bool()>& stop_;
  std::vector<float> floats_;
  std::vector<std::byte> bytes_;
  std::vector<std::string> problems_;  // per row
};

}  // namespace

std::uint64_t quantize_file(const GgufFile& file, const std::string& path,
                            const QuantizeOptions& options) {
  const std::vector<TensorChoice> choices = choose_types(options.mixture, file, options.layers);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    check_source(file, file.tensors()[i], choices[i]);
  }
  GgufContent content = content_for(file, choices, options.mixture);
  std::vector<std::uint64_t> sizes;
  for (const GgufTensorPlan& plan : content.tensors) sizes.push_back(plan.bytes);
  GgufWriter writer(path, std::move(content));
  ThreadPool pool(options.threads);
  RowConverter converter(file, pool, options.stop);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const GgufTensor& tensor = file.tensors()[i];
    converter.convert(tensor, choices[i].dtype, writer);
    if (options.done) options.done({tensor.name, *tensor.dtype, choices[i], sizes[i]});
  }
  file.ensure_unchanged();
  converter.check_stopped();
  return writer.finish();
}

}  // namespace assay
