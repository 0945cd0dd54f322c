// onnxcmp batch: many pairs, whatever becomes of each.
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cli/batch/pair_result.h"
#include "tests/cli/models.h"
#include "tests/cli/program.h"

namespace onnxcmp::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kGraph[] = R"((float[N,4] x) => (float[N,4] y) {
    scale = Constant <value = float[4] {1, 1, 1, 1}> ()
    n = LayerNormalization <epsilon: float = EPSILON> (x, scale)
    y = Relu (n) })";
// Runs longer than anybody waits.
constexpr char kEndless[] = R"((float[N,4] x) => (float[N,4] y) {
    trips = Constant <value = int64 {1000000000000}> ()
    more = Constant <value = bool {1}> ()
    y = Loop (trips, more, x) <body = b (int64 i, bool c, float[N,4] v)
        => (bool d, float[N,4] w) { d = Identity (c)  w = Sin (v) }> })";
constexpr char kGiant[] = R"((float[N,4] x) => (float[N,4] y) {
    size = Constant <value = int64[1] {50000000000}> ()
    c = ConstantOfShape (size)
    s = ReduceSum <keepdims = 0> (c)
    y = Add (x, s) })";

// Under the address sanitizer memory has no limit, nor under qemu (script/cross).
bool LimitsMemory() {
#ifdef __SANITIZE_ADDRESS__
  return false;
#else
  return std::getenv("ONNXCMP_EMULATED") == nullptr;
#endif
}

class BatchCommandTest : public ModelFolderTest {
 protected:
  BatchCommandTest() {
    fs::create_directories(folder_ + "/a");
    fs::create_directories(folder_ + "/b");
  }

  void Pair(const std::string& name, const std::string& left, const std::string& right) const {
    Model("a/" + name, left);
    Model("b/" + name, right);
  }
  static std::string Norm(const std::string& epsilon) {
    std::string graph = kGraph;
    return graph.replace(graph.find("EPSILON"), 7, epsilon);
  }
  // Pairs that agree.
  void ManyPairs(int count) const {
    for (int i = 0; i < count; ++i) {
      Pair(absl::StrCat("p", i), Norm(absl::StrCat("1e-", i % 7 + 3)),
           Norm(absl::StrCat("1e-", i % 7 + 3)) + absl::StrCat("# ", i));
    }
  }

  std::vector<std::string> Command(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> command = {"batch", folder_ + "/a", folder_ + "/b", "--out", out_};
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }
  std::map<std::string, cli::PairResult> Results(const std::string& out) const {
    std::map<std::string, cli::PairResult> results;
    const auto read = cli::ReadResults(out);
    EXPECT_TRUE(read.ok()) << read.status();
    if (!read.ok()) return results;
    for (const cli::PairResult& result : *read) {
      EXPECT_TRUE(results.emplace(result.name, result).second) << result.name << " twice";
      if (result.compared()) {
        EXPECT_TRUE(fs::exists(out + "/" + result.folder + "/report.json")) << result.name;
      }
    }
    return results;
  }
  std::map<std::string, cli::PairResult> Results() const { return Results(out_); }

  const std::string out_ = folder_ + "/out";
};

// Processes that have a path in their command line.
std::vector<pid_t> ProcessesWith(const std::string& path) {
  const std::string text = fs::path(path).lexically_normal().string();
  std::vector<pid_t> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", error)) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0 || pid == getpid()) continue;
    // Reading fails if the process ends meanwhile, for which << does not throw.
    std::ostringstream line;
    line << std::ifstream(entry.path() / "cmdline").rdbuf();
    if (absl::StrContains(line.str(), text)) found.push_back(pid);
  }
  return found;
}

TEST_F(BatchCommandTest, EveryPairHasItsResult) {
  Pair("good", Norm("1e-5"), Norm("1e-5"));
  Pair("eps", Norm("1e-5"), Norm("1e-1"));
  Pair("eps2", Norm("1e-5"), Norm("2e-1"));
  Pair("endless", kEndless, kEndless);
  Pair("giant", kGiant, kGiant);
  Pair("alone", Norm("1e-5"), "");
  fs::remove(folder_ + "/b/alone.onnxtxt");
  WriteFile(folder_ + "/a/broken.onnx", "garbage");
  WriteFile(folder_ + "/b/broken.onnx", "garbage");
  const std::vector<std::string> command =
      Command({"--pair-time", "2s", "--pair-memory", "2G", "--", "--max-tensor", "400G"});
  const Outcome outcome = Onnxcmp(command);
  EXPECT_EQ(outcome.status, 2) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("cause      LayerNormalization epsilon, 2 pairs\n"));
  const auto results = Results();
  ASSERT_EQ(results.size(), 7u);
  EXPECT_EQ(results.at("good").outcome, "same");
  EXPECT_TRUE(results.at("good").as_expected);
  EXPECT_EQ(results.at("eps").outcome, "different");
  EXPECT_EQ(results.at("endless").outcome, "timed_out");
  EXPECT_EQ(results.at("giant").outcome, LimitsMemory() ? "out_of_memory" : "timed_out");
  EXPECT_EQ(results.at("broken").outcome, "unreadable");
  EXPECT_EQ(results.at("alone").outcome, "unreadable");
  EXPECT_EQ(results.at("broken").report, "report.json");
  EXPECT_THAT(ReadFile(out_ + "/index.html"), HasSubstr("data-exit=\"2\""));
  EXPECT_THAT(ReadFile(out_ + "/junit.xml"), HasSubstr("tests=\"7\" failures=\"2\" errors=\"4\""));
  // Nothing is computed twice.
  const Outcome again = Onnxcmp(command);
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.out, HasSubstr("; 0 compared, 7 known"));
  EXPECT_EQ(Results().at("eps").finished, results.at("eps").finished);
}

TEST_F(BatchCommandTest, AnOutputThatIsNotFiniteIsTheWorst) {
  const auto graph = [](const std::string& scale, const std::string& square) {
    return "(float[N,4] x) => (float[N,4] near, float[N,4] broken) {\n"
           "    scale = Constant <value = float {" +
           scale +
           "}> ()\n"
           "    near = Mul (x, scale)\n"
           "    square = Constant <value = float {" +
           square +
           "}> ()\n"
           "    root = Sqrt (square)\n"
           "    broken = Add (x, root) }";
  };
  Pair("nan", graph("1", "4"), graph("1.01", "-4"));
  EXPECT_EQ(Onnxcmp(Command()).status, 1);
  EXPECT_EQ(Results().at("nan").worst_output, "broken");
  EXPECT_TRUE(std::isinf(Results().at("nan").worst_distance));
}

TEST_F(BatchCommandTest, OnlyChangesAreComparedAndTold) {
  ManyPairs(4);
  Pair("gone", Norm("1e-5"), Norm("1e-5"));
  EXPECT_EQ(Onnxcmp(Command()).status, 0);
  Pair("p1", Norm("1e-4"), Norm("1e-1"));
  Pair("new", Norm("1e-3"), Norm("1e-3"));
  fs::remove(folder_ + "/a/gone.onnxtxt");
  fs::remove(folder_ + "/b/gone.onnxtxt");
  // Into another folder, where results of the baseline count, too.
  const std::string next = folder_ + "/next";
  const Outcome outcome =
      Onnxcmp({"batch", folder_ + "/a", folder_ + "/b", "--out", next, "--baseline", out_});
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("1 no longer as expected; 1 new; 1 gone\n"));
  EXPECT_THAT(outcome.out, HasSubstr("new cause  LayerNormalization epsilon\n"));
  EXPECT_EQ(Results(next).size(), 5u);
  EXPECT_EQ(Results(next).at("p0").finished, Results().at("p0").finished);
  EXPECT_THAT(ReadFile(next + "/summary.md"), HasSubstr("pair that is gone: gone"));
}

TEST_F(BatchCommandTest, ExpectationsOfAManifest) {
  Pair("eps", Norm("1e-5"), Norm("1e-1"));
  const auto status = [&](const std::string& expect, const std::string& cause) {
    const std::string manifest =
        WriteFile(folder_ + "/m.csv", "left,right,expect,cause,tags\na/eps.onnxtxt,b/eps.onnxtxt," +
                                          expect + "," + cause + ",norm\n");
    return Onnxcmp({"batch", manifest, "--out", out_, "--quiet"}).status;
  };
  EXPECT_EQ(status("", ""), 1);
  EXPECT_EQ(status("different", "epsilon"), 0);
  EXPECT_EQ(status("different", "Conv"), 1);
  EXPECT_EQ(status("agree", ""), 1);
  EXPECT_THAT(ReadFile(out_ + "/summary.md"), HasSubstr("| norm | 1 | 1 | 1 different |"));
}

TEST_F(BatchCommandTest, MistakesAreToldBeforeTheFirstPair) {
  ManyPairs(1);
  EXPECT_THAT(Onnxcmp(Command({"--", "--rtoll", "1"})).err, HasSubstr("--rtoll"));
  EXPECT_THAT(Onnxcmp(Command({"--", "--html", "x.html"})).err,
              HasSubstr("reports are those of the batch"));
  EXPECT_THAT(Onnxcmp({"batch", folder_ + "/a", "--out", out_}).err, HasSubstr("is one folder"));
  EXPECT_THAT(Onnxcmp({"batch", folder_ + "/a", folder_ + "/b"}).err,
              HasSubstr("a folder for the results is needed"));
  EXPECT_THAT(Onnxcmp(Command({"--pair-time", "soon"})).err,
              HasSubstr("--pair-time: 'soon' is no time such as"));
  EXPECT_THAT(Onnxcmp(Command({"--baseline", folder_ + "/none"})).err,
              HasSubstr("no batch has ended there"));
  EXPECT_FALSE(fs::exists(out_ + "/results.jsonl"));
}

TEST_F(BatchCommandTest, ShardsJoin) {
  ManyPairs(9);
  const auto shard = [&](int index) { return absl::StrCat(folder_, "/shard", index); };
  size_t pairs = 0;
  for (int index = 1; index <= 3; ++index) {
    EXPECT_EQ(Onnxcmp({"batch", folder_ + "/a", folder_ + "/b", "--out", shard(index), "--shard",
                       absl::StrCat(index, "/3")})
                  .status,
              0);
    pairs += Results(shard(index)).size();
  }
  EXPECT_EQ(pairs, 9u);
  EXPECT_EQ(Onnxcmp({"batch", "--merge", shard(1), shard(2), shard(3), "--out", out_}).status, 0);
  EXPECT_EQ(Results().size(), 9u);
  const Outcome lacking = Onnxcmp({"batch", "--merge", shard(1), shard(3), "--out", out_});
  EXPECT_EQ(lacking.status, 2);
  EXPECT_THAT(lacking.err, HasSubstr("of 3 shards there are none of the number 2"));
}

TEST_F(BatchCommandTest, ACrashIsAResultAndHurtsNoOther) {
  ManyPairs(3);
  Pair("endless", kEndless, kEndless);
  std::thread crash([&] {
    for (int tries = 0; tries < 200; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      for (const pid_t pid : ProcessesWith(folder_ + "/a/endless.onnxtxt")) kill(pid, SIGSEGV);
      if (fs::exists(out_ + "/results.jsonl")) return;
    }
  });
  const Outcome outcome = Onnxcmp(Command({"--pair-time", "60s"}));
  crash.join();
  EXPECT_EQ(outcome.status, 2);
  const auto results = Results();
  ASSERT_EQ(results.size(), 4u);
  EXPECT_EQ(results.at("endless").outcome, "crashed");
  EXPECT_THAT(results.at("endless").error, HasSubstr("signal 11"));
  EXPECT_EQ(results.at("p2").outcome, "same");
}

TEST_F(BatchCommandTest, AModelThatIsReplacedMeanwhileIsComparedAgain) {
  Pair("endless", kEndless, kEndless);
  Pair("late", Norm("1e-5"), Norm("1e-5"));
  std::thread replace([&] {
    for (int tries = 0; tries < 200; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      if (ProcessesWith(folder_ + "/a/endless.onnxtxt").empty()) continue;
      // Its key has been made by then.
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      Model("b/late", Norm("1e-1"));
      return;
    }
  });
  const std::vector<std::string> command = Command({"--jobs", "1", "--pair-time", "2s"});
  EXPECT_EQ(Onnxcmp(command).status, 2);
  replace.join();
  EXPECT_EQ(Results().at("late").outcome, "changed");
  // The result that was made under the first one's key is not taken for it.
  Pair("late", Norm("1e-5"), Norm("1e-5"));
  EXPECT_EQ(Onnxcmp(command).status, 2);
  EXPECT_EQ(Results().at("late").outcome, "same");
}

TEST_F(BatchCommandTest, StopsCleanlyAndGoesOn) {
  ManyPairs(6);
  Pair("endless", kEndless, kEndless);
  for (const int signal : {SIGINT, SIGKILL}) {
    bool seen = false;
    std::thread watch([&] {
      for (int tries = 0; tries < 38 && !seen; ++tries) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        seen = !ProcessesWith(folder_ + "/a/endless.onnxtxt").empty();
      }
    });
    const Outcome stopped = OnnxcmpInterrupted(Command({"--pair-time", "60s"}), signal, 4000);
    watch.join();
    EXPECT_TRUE(seen);
    EXPECT_EQ(stopped.status, -signal);
    if (signal == SIGINT) {
      EXPECT_THAT(stopped.err, HasSubstr("the same command goes on"));
    }
    // The comparison does not outlive the batch.
    std::vector<pid_t> left;
    for (int tries = 0; tries < 50; ++tries) {
      left = ProcessesWith(folder_ + "/a/endless.onnxtxt");
      if (left.empty()) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    EXPECT_TRUE(left.empty());
    EXPECT_FALSE(fs::exists(out_ + "/results.jsonl"));
  }
  EXPECT_EQ(Onnxcmp(Command({"--pair-time", "1s"})).status, 2);
  EXPECT_EQ(Results().size(), 7u);
  EXPECT_TRUE(fs::is_empty(out_ + "/running"));
}

TEST_F(BatchCommandTest, AFullDiskLosesNothing) {
  ManyPairs(6);
  const std::string command = absl::StrCat("'", OnnxcmpProgram(), "' batch '", folder_, "/a' '",
                                           folder_, "/b' --quiet --out '", out_, "'\n");
  const std::string script = WriteFile(
      folder_ + "/script",
      absl::StrCat("mkdir -p '", out_, "'\nmount -t tmpfs -o size=400k none '", out_,
                   "' || exit 77\n", command, "echo first $?\nmount -o remount,size=40M '", out_,
                   "'\n", command, "echo second $?\n"));
  const Outcome outcome = Shell(absl::StrCat("unshare -rm bash '", script, "'"));
  if (outcome.status != 0) GTEST_SKIP() << "no file system can be mounted here: " << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("first 2\n"));
  EXPECT_THAT(outcome.out, HasSubstr("second 0\n"));
  EXPECT_THAT(outcome.err, HasSubstr("results so far are kept: the same command goes on"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("; 6 compared, 0 known")));
  EXPECT_THAT(outcome.out, HasSubstr("6 of 6 pairs as expected"));
}

TEST_F(BatchCommandTest, TwoBatchesDoNotShareAFolder) {
  Pair("endless", kEndless, kEndless);
  std::thread first([&] { OnnxcmpInterrupted(Command(), SIGTERM, 6000); });
  for (int tries = 0; tries < 50; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (!ProcessesWith(folder_ + "/a/endless.onnxtxt").empty()) break;
  }
  EXPECT_THAT(Onnxcmp(Command({"--pair-time", "2s"})).err, HasSubstr("another batch is at work"));
  first.join();
}

}  // namespace
}  // namespace onnxcmp::testing
