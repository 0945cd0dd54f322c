// Many comparisons in one process through the library, on several threads at once:
//
//   soak [COMPARISONS [THREADS]]
//
// Each thread compares pairs that agree, that differ with causes, and that cannot run, renders what
// came of it, and holds the exit status against the one that is known. Prints the memory that the
// process holds ten times; exit status 1 if it grows or a status is wrong. Under the thread
// sanitizer (-DONNXCMP_SANITIZE=thread) it is a test of threads.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "evaluator/base/status_macros.h"
#include "onnxcmp/compare.h"
#include "onnxcmp/ops.h"

namespace onnxcmp {
namespace {

// Held beyond the first tenth: what allocators keep in reserve for threads.
constexpr int64_t kMostGrowth = int64_t{16} << 20;

int64_t HeldBytes() {
  std::ifstream file("/proc/self/statm");
  int64_t pages = 0;
  file >> pages >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

// The first is the left of all pairs; behind each the exit status of its comparison.
std::vector<std::pair<std::string, int>> Models() {
  const std::string base = R"(<ir_version: 10, opset_import: ["": 21]>
    g (float[n, 8] x) => (float[n, 8] y) <float[8] b = {1, 2, 3, 4, 5, 6, 7, 8}> {
      h = Mul(x, b) s = Add(h, b) y = Softmax <axis = -1> (s) })";
  const std::string looped = absl::StrReplaceAll(
      base, {{"<float[8] b", "<int64 t = {3}, bool go = {1}, float[8] b"},
             {"s = Add(h, b)",
              "s = Loop <body = l (int64 i, bool c, float[n, 8] a) => (bool d, float[n, 8] e) "
              "{ d = Identity(c) e = Add(a, b) }> (t, go, h)"}});
  return {{base, 0},
          {absl::StrReplaceAll(base, {{"Add(h, b)", "Add(b, h)"}}), 0},
          {absl::StrReplaceAll(base, {{"{1, 2,", "{1, 2.5,"}}), 1},
          {absl::StrReplaceAll(base, {{"axis = -1", "axis = 0"}}), 1},
          {looped, 1},
          {absl::StrReplaceAll(base, {{"Softmax <axis = -1> (s)", "Reshape(s, w)"},
                                      {"<float[8] b", "<int64[1] w = {3}, float[8] b"}}),
           2}};
}

absl::StatusOr<int> CompareTexts(const std::string& left_text, const std::string& right_text,
                                 const OpRegistry& registry, int64_t seed) {
  OC_ASSIGN_OR_RETURN(const auto left_model, LoadModelFromText(left_text, registry));
  OC_ASSIGN_OR_RETURN(const auto right_model, LoadModelFromText(right_text, registry));
  OC_ASSIGN_OR_RETURN(const auto left, ModelSide::Create(left_model, registry));
  OC_ASSIGN_OR_RETURN(const auto right, ModelSide::Create(right_model, registry));
  InputOptions inputs;
  inputs.generated.seed = static_cast<uint64_t>(seed % 7);
  OC_ASSIGN_OR_RETURN(InputSets sets, InputSets::Open(left->graph(), right->graph(), inputs));
  OC_ASSIGN_OR_RETURN(FedInputs fed, sets.Get(0));
  left->SetFeeds(std::move(fed.left));
  right->SetFeeds(std::move(fed.right));
  CompareOptions options;
  options.threads = seed % 2 == 0 ? 1 : 2;
  OC_ASSIGN_OR_RETURN(const Comparison comparison, Compare(*left, *right, options));
  RenderTable(comparison);
  RenderJson(comparison);
  return ExitStatusOf(comparison);
}

// State that all threads share.
struct Soak {
  const OpRegistry registry = AllOperators();
  const std::vector<std::pair<std::string, int>> models = Models();
  std::atomic<int64_t> begun = 0;
  std::atomic<int64_t> wrong = 0;
};

void CompareUntil(int64_t end, Soak* soak) {
  for (int64_t i = soak->begun++; i < end; i = soak->begun++) {
    const auto& [text, expected] = soak->models[static_cast<size_t>(i) % soak->models.size()];
    const absl::StatusOr<int> status = CompareTexts(soak->models[0].first, text, soak->registry, i);
    if ((status.ok() ? *status : 2) == expected) continue;
    std::fprintf(stderr, "comparison %lld: %s\n", static_cast<long long>(i),  // NOLINT
                 status.ok() ? absl::StrCat("exit status ", *status).c_str()
                             : status.status().ToString().c_str());
    ++soak->wrong;
  }
}

int RunSoak(int64_t count, int threads) {
  constexpr int kParts = 10;
  Soak soak;
  int64_t first = 0;
  int64_t most = 0;
  for (int part = 1; part <= kParts; ++part) {
    soak.begun = count * (part - 1) / kParts;
    std::vector<std::thread> running;
    running.reserve(static_cast<size_t>(threads));
    for (int i = 0; i < threads; ++i) {
      running.emplace_back(CompareUntil, count * part / kParts, &soak);
    }
    for (std::thread& thread : running) thread.join();
    const int64_t held = HeldBytes();
    if (part == 1) first = held;
    most = std::max(most, held);
    std::printf("%lld comparisons, %.1f MiB\n",
                static_cast<long long>(count * part / kParts),  // NOLINT(google-runtime-int)
                static_cast<double>(held) / (1 << 20));
    std::fflush(stdout);
  }
  return most - first > kMostGrowth || soak.wrong > 0 ? 1 : 0;
}

}  // namespace
}  // namespace onnxcmp

int main(int argc, char** argv) {
  int64_t count = 50'000;
  int threads = 1;
  if ((argc > 1 && !absl::SimpleAtoi(argv[1], &count)) ||
      (argc > 2 && !absl::SimpleAtoi(argv[2], &threads)) || count < 1 || threads < 1) {
    std::fprintf(stderr, "usage: soak [COMPARISONS [THREADS]]\n");
    return 2;
  }
  return onnxcmp::RunSoak(count, threads);
}
