// No variant of matvec or matmul reads behind the last weight: a model file is mapped, and its last
// tensor may end where the mapping does. Here the page after the weights cannot be read.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "engine/core/cpu.h"
#include "kernels/matmul/matmul.h"
#include "kernels/matvec/matvec.h"
#include "kernels/quantize_activations/reference_quantize.h"
#include "kernels/reference.h"
#include "kernels/registry.h"

namespace assay {
namespace {

// `bytes` that end where a forbidden page begins.
class EdgeOfMemory {
 public:
  explicit EdgeOfMemory(std::size_t bytes) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    size_ = (bytes + page - 1) / page * page + page;
    base_ = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base_ == MAP_FAILED) return;
    ::mprotect(static_cast<std::byte*>(base_) + size_ - page, page, PROT_NONE);
    data_ = static_cast<std::byte*>(base_) + size_ - page - bytes;
  }
  ~EdgeOfMemory() {
    if (base_ != MAP_FAILED) ::munmap(base_, size_);
  }
  std::byte* data() { return data_; }

 private:
  void* base_ = MAP_FAILED;
  std::size_t size_ = 0;
  std::byte* data_ = nullptr;
};

constexpr int kTokens = 11;

class WeightsEnd : public testing::TestWithParam<DType> {
 protected:
  // Outputs of a variant: (n) of token 0, or (kTokens, n).
  std::vector<float> run(const RegisteredVariant& variant, bool matvec, int n, int k) {
    Launch launch{pool_};
    const float* x = is_float(GetParam()) ? x_.data() : nullptr;
    const QuantizedRows xq{xq_.q.data(), xq_.d.data(), xq_.sum.data()};
    std::vector<float> y(static_cast<std::size_t>(matvec ? n : n * kTokens));
    if (matvec) {
      const MatvecArgs args{
          .weights = weights_->data(), .x = x, .xq = xq, .y = y.data(), .n = n, .k = k};
      variant.launch(&args, launch);
    } else {
      const MatmulArgs args{.weights = weights_->data(),
                            .x = x,
                            .xq = xq,
                            .y = y.data(),
                            .t = kTokens,
                            .n = n,
                            .k = k};
      variant.launch(&args, launch);
    }
    return y;
  }

  void check(int n, int k) {
    const DType dtype = GetParam();
    CaseRandom random(7);
    const std::size_t bytes =
        static_cast<std::size_t>(n) * row_bytes(dtype, static_cast<std::size_t>(k));
    weights_ = std::make_unique<EdgeOfMemory>(bytes);
    ASSERT_NE(weights_->data(), nullptr);
    random.fill_weights(dtype, n, k, weights_->data());
    x_.resize(static_cast<std::size_t>(kTokens) * static_cast<std::size_t>(k));
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = random.draw(DataKind::kMild, i);
    xq_ = reference_quantize(x_);
    for (const bool matvec : {true, false}) {
      const std::string op = (matvec ? "matvec_" : "matmul_") + std::string(traits(dtype).suffix);
      std::vector<float> expected;
      for (const RegisteredVariant& variant : cpu_registry()) {
        if (parse_variant_id(variant.info->id)->op != op) continue;
        if (!offers(cpu_level(), variant.info->needs)) continue;
        SCOPED_TRACE(std::string(variant.info->id) + " n=" + std::to_string(n) +
                     " k=" + std::to_string(k));
        const std::vector<float> y = run(variant, matvec, n, k);
        if (expected.empty()) expected = y;
        EXPECT_EQ(std::memcmp(y.data(), expected.data(), y.size() * sizeof(float)), 0);
      }
      EXPECT_FALSE(expected.empty());
    }
  }

  ThreadPool pool_{1};
  std::unique_ptr<EdgeOfMemory> weights_;
  std::vector<float> x_;
  QuantizedStorage xq_;
};

TEST_P(WeightsEnd, IsNotPassed) {
  const int block = traits(GetParam()).block;
  for (const int n : {1, 2, 3, 9, 17, 33}) {
    for (const int k : {32, 96, 256, 288, 576, 768}) {
      if (k % (block == 1 ? 32 : block) == 0) check(n, k);
    }
  }
}

std::vector<DType> types() {
  std::vector<DType> all;
  for (const DTypeTraits& type : all_dtypes()) all.push_back(type.dtype);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Types, WeightsEnd, testing::ValuesIn(types()),
                         [](const auto& of) { return std::string(traits(of.param).suffix); });

}  // namespace
}  // namespace assay
