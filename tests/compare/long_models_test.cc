// Models of many nodes, on a small stack: no step recurses over their length.
#include <pthread.h>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/functional/any_invocable.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/support/model_pair.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::CompareGraphs;

// Runs it in a thread with a stack of 256 KiB.
void OnSmallStack(absl::AnyInvocable<void()> run) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, size_t{256} << 10), 0);
  pthread_t thread;
  const auto call = [](void* argument) -> void* {
    (*static_cast<absl::AnyInvocable<void()>*>(argument))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, call, &run), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

// One operator after the other; the one in the middle is replaced.
std::string Chain(int nodes, const std::string& node, const std::string& middle) {
  std::string graph = "(float[2] x) => (float[2] y) <float[2] c = {0.5, 0.25}, float k = {1.5}> {";
  std::string last = "x";
  for (int i = 0; i < nodes; ++i) {
    const std::string next = i + 1 == nodes ? "y" : absl::StrCat("t", i);
    absl::StrAppend(&graph, next, " = ",
                    absl::StrReplaceAll(i == nodes / 2 ? middle : node, {{"$", last}}), "\n");
    last = next;
  }
  return absl::StrCat(graph, "}");
}

void ExpectCause(int nodes, const std::string& node, const CompareOptions& options) {
  OnSmallStack([&] {
    const auto comparison =
        CompareGraphs(Chain(nodes, node, node), Chain(nodes, node, "Mul ($, k)"),
                      {{"x", Tensor::Of<float>({2}, {0.5f, -0.25f})}}, options);
    ASSERT_TRUE(comparison.ok()) << comparison.status();
    EXPECT_FALSE(comparison->causes.empty()) << node;
  });
}

TEST(LongModelsTest, AFaultInALongChainIsFound) {
  for (const std::string node : {"Neg ($)", "Identity ($)", "Add ($, c)"}) {
    ExpectCause(5000, node, {});
  }
}

TEST(LongModelsTest, NestsOfOperatorsAreSearchedForFusions) {
  CompareOptions options;
  options.fusions = true;
  ExpectCause(600, "Neg ($)", options);
}

}  // namespace
}  // namespace onnxcmp
