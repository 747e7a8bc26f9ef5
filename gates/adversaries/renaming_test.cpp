// The same lever, machine code, workload and device under another name.
#include <gtest/gtest.h>

#include "gates/adversaries/adversary.h"

namespace assay::adversaries {
namespace {

using Lines = std::vector<std::string>;

Laboratory::Watch after_pair(int pairs) {
  return [pairs, seen = 0](EventKind kind, const nlohmann::json&) mutable {
    return kind == EventKind::kSample && ++seen >= pairs;
  };
}

class Renaming : public testing::Test {
 protected:
  void rename(const std::string& slug, const std::string& more) {
    lab.workspace.definition_text = usual;
    lab.workspace.redefine("slug: unroll-two", "slug: " + slug);
    lab.workspace.definition_text += more;
    lab.propose();
  }
  // Refused, with nothing measured.
  void expect_refused(const std::string& slug, const std::string& message) {
    const RunOutcome outcome = lab.run();
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.outcome, "refused");
    EXPECT_EQ(outcome.message, message);
    EXPECT_TRUE(lab.view_of(slug).attempts.empty());
    EXPECT_EQ(broken_rules(lab, "unroll-two"), Lines{});
  }
  Laboratory lab;
  const std::string usual = lab.workspace.definition_text;
  const std::string retry = "retry_when: the machine is another\n";
};

TEST_F(Renaming, IsRefusedWithoutSupersedes) {
  lab.begin(31);
  EXPECT_EQ(lab.run(after_pair(3)).exit_code, 12);
  rename("another", "");
  expect_refused("another",
                 "experiment unroll-two has already judged this code on this workload and device: "
                 "name it in `supersedes` and say in `retry_when` which condition now holds");
}

TEST_F(Renaming, DoesNotSupersedeWhatGoesOn) {
  lab.begin(32);
  EXPECT_EQ(lab.run(after_pair(3)).exit_code, 12);
  rename("another", "supersedes: unroll-two\n" + retry);
  expect_refused("another",
                 "experiment unroll-two, which this one supersedes, has measured 3 pairs of this "
                 "code and has no verdict on it: run it to its end, or give it up with "
                 "`assay close unroll-two --as reverted --because TEXT`");
}

TEST_F(Renaming, SupersedesOnceAndNotInAChain) {
  lab.begin(33);
  lab.run();
  ASSERT_TRUE(lab.view().judged() != nullptr);
  rename("another", "supersedes: unroll-two\n" + retry);
  lab.run();
  ASSERT_TRUE(lab.view().judged() != nullptr);
  EXPECT_EQ(broken_rules(lab, "another"), Lines{});
  rename("a-third", "supersedes: another\n" + retry);
  expect_refused("a-third",
                 "experiment unroll-two has already judged this code on this workload and device: "
                 "name it in `supersedes` and say in `retry_when` which condition now holds");
}

TEST_F(Renaming, TheWholeStoryKeepsTheRules) {
  const Played played = renaming(lab, 34);
  EXPECT_EQ(played.broken, Lines{});
  EXPECT_GE(played.refused.size(), 1U);
}

}  // namespace
}  // namespace assay::adversaries
