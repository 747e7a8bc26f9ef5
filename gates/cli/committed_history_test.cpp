// The history that is committed with the sources: `assay check` on a copy finds nothing, so
// records, documents and verdicts still agree with what this version derives.
#include <gtest/gtest.h>

#include <filesystem>

#include "gates/cli/driven_program.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

TEST(CommittedHistory, IsWhatThisVersionDerives) {
  const TemporaryFolder copy;
  const fs::path source = ASSAY_SOURCE_ROOT;
  fs::create_directories(copy.path() + "/results");
  fs::copy(source / "experiments", copy.path() + "/experiments", fs::copy_options::recursive);
  fs::copy(source / "results/records", copy.path() + "/results/records",
           fs::copy_options::recursive);
  for (const char* file : {"results/index.md", "results/calibrations.json"}) {
    fs::copy(source / file, fs::path(copy.path()) / file);
  }
  const Finished check = run_assay(copy.path(), {"check"});
  EXPECT_EQ(check.code, 0);
  EXPECT_TRUE(check.out.ends_with(": files, chain and verdicts agree\n")) << check.out;
  EXPECT_EQ(check.out.find("check: 0 "), std::string::npos) << check.out;
}

}  // namespace
}  // namespace assay
