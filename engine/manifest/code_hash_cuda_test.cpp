// Compiles small CUDA kernels with the nvcc of this build and looks at their hashes. Each fat
// binary holds a cubin and PTX, so that both count in every test. Skipped where there is no nvcc.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "engine/core/error.h"
#include "engine/manifest/code_hash.h"
#include "engine/manifest/kernel_stubs.h"
#include "engine/manifest/source_files.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// Two kernels, one with parameter points, static shared memory and a function that is not inlined.
// NAME, SPACE, FACTOR and SHIFT are replaced.
constexpr const char* kKernels = R"(
#include "kernels/cuda_launch.h"
namespace SPACE {
struct Args { const float* x; float* y; int k; };
__device__ __noinline__ float scaled(float v) { return v * FACTORf; }
template <int rows>
__global__ void __launch_bounds__(128) scale(const float* x, float* y, int k) {
  __shared__ float of_block[128];
  of_block[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int i = threadIdx.x; i < k; i += rows) y[i] = scaled(of_block[i & 127]);
}
__global__ void __launch_bounds__(64) shift(float* y) { y[threadIdx.x] += SHIFTf; }
template <int rows>
void run(const Args& a, assay::CudaLaunch& l) {
  scale<rows><<<1, 128, 0, static_cast<cudaStream_t>(l.stream)>>>(a.x, a.y, a.k);
}
void both(const Args& a, assay::CudaLaunch& l) {
  run<8>(a, l);
  shift<<<1, 64, 0, static_cast<cudaStream_t>(l.stream)>>>(a.y);
}
}  // namespace SPACE
ASSAY_CUDA_VARIANT(NAME_rows1, SPACE::Args, SPACE::run<1>);
ASSAY_CUDA_VARIANT(NAME_rows4, SPACE::Args, SPACE::run<4>);
ASSAY_CUDA_VARIANT(NAME_both, SPACE::Args, SPACE::both);
)";

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
  return text;
}

struct Fill {
  std::string name = "k_cuda", space = "plain", factor = "1.5", shift = "0.25";
};

std::string kernels(const Fill& fill = {}) {
  std::string text = replaced(replaced(kKernels, "SPACE", fill.space), "NAME", fill.name);
  return replaced(replaced(text, "FACTOR", fill.factor), "SHIFT", fill.shift);
}

class CudaCodeHashTest : public testing::Test {
 protected:
  CudaCodeHashTest() {
    char name[] = "/tmp/assay_cuda_hash_XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~CudaCodeHashTest() override { fs::remove_all(folder_); }
  void SetUp() override {
    if (std::string(ASSAY_NVCC).empty()) GTEST_SKIP() << "this build has no nvcc";
  }

  static std::string nvcc(const std::string& flags) {
    return fmt::format(
        "{} {} -O3 -gencode 'arch=compute_90,code=[sm_90,compute_90]' -DFMT_HEADER_ONLY -I {} {}",
        ASSAY_NVCC, ASSAY_NVCC_OPTIONS, ASSAY_SOURCE_ROOT, flags);
  }
  // The object file of a source text.
  std::string compile(const std::string& file, const std::string& text,
                      const std::string& flags = "", bool compressed = false) {
    const fs::path source = folder_ / file;
    fs::create_directories(source.parent_path());
    std::ofstream(source) << text;
    const std::string object = source.string() + ".o";
    std::string command = nvcc(fmt::format("{} -c {} -o {}", flags, source.string(), object));
    if (compressed) command = replaced(command, "-no-compress", "");
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return object;
  }
  static CodeHash hash(const std::vector<std::string>& objects, const std::string& symbol) {
    const std::optional<CodeHash> found = hash_code(read_objects(objects), symbol);
    EXPECT_TRUE(found.has_value()) << symbol;
    return found.value_or(CodeHash{});
  }

  fs::path folder_;
};

const std::vector<std::string> kSymbols = {"k_cuda_rows1", "k_cuda_rows4", "k_cuda_both"};

TEST_F(CudaCodeHashTest, ParameterPointsDifferAndCommentsLinesPathsAndNeighboursDoNotCount) {
  const std::string first = compile("a.cu", kernels());
  const std::string neighbours =
      "namespace other { __device__ __noinline__ float f(float v) { return v / 3; }\n"
      "__global__ void __launch_bounds__(32) early(float* y) { if (y[1] > 0) y[0] = f(y[2]); }\n"
      "void go(float* y) { early<<<1, 32>>>(y); } }\n";
  const std::string moved =
      compile("deep/er/b.cu",
              "// A comment.\n\n" + neighbours + kernels() +
                  replaced(replaced(neighbours, "other", "third"), "/ 3", "*7"),
              "-lineinfo -g");
  std::set<std::string> hashes;
  for (const std::string& symbol : kSymbols) {
    const CodeHash one = hash({first}, symbol);
    EXPECT_EQ(one.sha256.size(), 64u);
    EXPECT_TRUE(one.reaches.empty());
    EXPECT_EQ(hash({moved}, symbol).sha256, one.sha256) << symbol;
    hashes.insert(one.sha256);
  }
  EXPECT_EQ(hashes.size(), 3u);
}

TEST_F(CudaCodeHashTest, AChangedConstantCountsForTheVariantsThatUseItAndForNoOther) {
  const std::string first = compile("a.cu", kernels());
  const std::string shifted = compile("b.cu", kernels({.shift = "0.75"}));
  EXPECT_EQ(hash({shifted}, "k_cuda_rows1").sha256, hash({first}, "k_cuda_rows1").sha256);
  EXPECT_EQ(hash({shifted}, "k_cuda_rows4").sha256, hash({first}, "k_cuda_rows4").sha256);
  EXPECT_NE(hash({shifted}, "k_cuda_both").sha256, hash({first}, "k_cuda_both").sha256);
  const std::string scaled = compile("c.cu", kernels({.factor = "1.75"}));
  for (const std::string& symbol : kSymbols) {
    EXPECT_NE(hash({scaled}, symbol).sha256, hash({first}, symbol).sha256) << symbol;
  }
}

TEST_F(CudaCodeHashTest, BoundsAndLaunchConstantsCount) {
  const std::string first = compile("a.cu", kernels());
  const std::string bounds =
      compile("b.cu", replaced(kernels(), "__launch_bounds__(64)", "__launch_bounds__(96)"));
  EXPECT_NE(hash({bounds}, "k_cuda_both").sha256, hash({first}, "k_cuda_both").sha256);
  const std::string blocks = compile("c.cu", replaced(kernels(), "<<<1, 128", "<<<2, 128"));
  EXPECT_NE(hash({blocks}, "k_cuda_rows4").sha256, hash({first}, "k_cuda_rows4").sha256);
}

TEST_F(CudaCodeHashTest, MachineCodeCountsWhereThePtxIsTheSame) {
  const std::string first = compile("a.cu", kernels());
  const std::string other = compile("b.cu", kernels(), "-Xptxas -O1");
  EXPECT_NE(hash({other}, "k_cuda_rows4").sha256, hash({first}, "k_cuda_rows4").sha256);
}

TEST_F(CudaCodeHashTest, ACopyUnderAnotherNameIsTheSameCode) {
  const std::string first = compile("a.cu", kernels());
  const std::string copy =
      compile("b.cu", kernels({.name = "k_copied", .space = "copied_from_it"}));
  EXPECT_EQ(hash({first, copy}, "k_copied_rows4").sha256, hash({first}, "k_cuda_rows4").sha256);
  EXPECT_EQ(hash({first, copy}, "k_copied_both").sha256, hash({first}, "k_cuda_both").sha256);
}

TEST_F(CudaCodeHashTest, ForwardingToAnotherLauncherIsReported) {
  const std::string incumbent = compile("a.cu", kernels());
  const std::string forwarding = compile("b.cu", R"(
#include "kernels/cuda_launch.h"
extern "C" void assay_launch_k_cuda_rows4(const void* args, assay::CudaLaunch& launch);
namespace sly {
struct Args { float* y; };
static void run(const Args& a, assay::CudaLaunch& l) { assay_launch_k_cuda_rows4(&a, l); }
}
ASSAY_CUDA_VARIANT(k_sly, sly::Args, sly::run);
)");
  EXPECT_EQ(hash({incumbent, forwarding}, "k_sly").reaches,
            std::vector<std::string>{"k_cuda_rows4"});
  EXPECT_TRUE(hash({incumbent, forwarding}, "k_cuda_rows4").reaches.empty());
}

TEST_F(CudaCodeHashTest, KernelsAreNamedByTheirRegistration) {
  const ObjectSet set = read_objects({compile("a.cu", kernels())});
  std::set<std::string> names;
  for (const auto& [stub, name] : registered_kernels(set.objects[0])) names.insert(name);
  EXPECT_EQ(names,
            (std::set<std::string>{"_ZN5plain5scaleILi1EEEvPKfPfi", "_ZN5plain5scaleILi4EEEvPKfPfi",
                                   "_ZN5plain5scaleILi8EEEvPKfPfi", "_ZN5plain5shiftEPf"}));
}

TEST_F(CudaCodeHashTest, ACompressedFatBinaryIsRefused) {
  const std::string object = compile("a.cu", kernels(), "-Xfatbin -compress-all", true);
  try {
    read_objects({object});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBaseline);
    EXPECT_EQ(error.what(), object + ": the fat binary is compressed; compile with -no-compress");
  }
}

TEST_F(CudaCodeHashTest, TheClosureOfAKernelIsWhatTheCompilerReads) {
  const std::string source = "kernels/matvec/cuda_warp_q4k.cu";
  const std::string list = (folder_ / "list").string();
  const std::string root = std::string(ASSAY_SOURCE_ROOT) + "/";
  const std::string command = nvcc(fmt::format("-M {}{} -o {}", root, source, list));
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  std::istringstream words(read_source(list));
  std::set<std::string> read;
  std::string word;
  while (words >> word) {
    if (!word.starts_with(root)) continue;
    read.insert(fs::path(word.substr(root.size())).lexically_normal().string());
  }
  const std::vector<std::string> closure = source_closure(ASSAY_SOURCE_ROOT, source);
  EXPECT_EQ(closure.front(), source);
  EXPECT_EQ(std::set<std::string>(closure.begin(), closure.end()), read);
}

}  // namespace
}  // namespace assay
