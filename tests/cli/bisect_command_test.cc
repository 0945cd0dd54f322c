// The first bad one of models that are there or are made by commands.
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "tests/cli/models.h"
#include "tests/cli/program.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Onnxcmp;
using ::onnxcmp::testing::OnnxcmpInterrupted;
using ::onnxcmp::testing::Outcome;
using ::onnxcmp::testing::ReadFile;
using ::onnxcmp::testing::Shell;
using ::onnxcmp::testing::WriteFile;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

class BisectCommandTest : public testing::ModelFolderTest {
 protected:
  // With `extra` constants that nothing reads, so that no two files are the same.
  std::string Scaled(const std::string& name, const std::string& factor, int extra = 0) {
    return Model(name, absl::StrCat("(float[64] x) => (float[64] y) <float f = {", factor,
                                    "}, float unread = {", extra,
                                    "}> { a = Tanh(x) b = Mul(a, f) y = Exp(b) }"));
  }

  // p/pass_0 to p/pass_{count - 1}, of which those from `first` to `last` are bad.
  std::string Passes(int count, int first, int last = 1 << 20) {
    std::filesystem::create_directory(folder_ + "/p");
    for (int i = 0; i < count; ++i) {
      Scaled(absl::StrCat("p/pass_", i), i >= first && i <= last ? "2.5" : "2", i);
    }
    return folder_ + "/p";
  }

  // A command that gives the n-th of these, and counts its calls in the file `calls`.
  std::string Giving(const std::string& before = "") {
    return absl::StrCat(before, "echo {n} >> ", calls(), "; cp ", folder_,
                        "/p/pass_{n}.onnxtxt {out}");
  }
  std::string calls() const { return folder_ + "/calls"; }

  Outcome InJson(std::vector<std::string> arguments, Json* report) {
    arguments.insert(arguments.begin(), "bisect");
    arguments.insert(arguments.end(), {"--format", "json", "-q"});
    Outcome outcome = Onnxcmp(arguments);
    *report = Json::parse(outcome.out, nullptr, false);
    return outcome;
  }
};

TEST_F(BisectCommandTest, MendsTheFirstBadOne) {
  const std::string folder = Passes(6, 4), out = folder_ + "/mended.onnx";
  const Outcome outcome = Onnxcmp({"bisect", folder, "--fix", out, "--width", "160"});
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("\nfix        1 edit of the right model makes the"),
                                 HasSubstr("f: [] 2.5 -> 2"), HasSubstr("\nfirst bad  pass_4")));
  EXPECT_EQ(Onnxcmp({folder + "/pass_3.onnxtxt", out, "--fail-on", "bits"}).status, 0);
  Json report;
  InJson({folder, "--fix", out}, &report);
  EXPECT_EQ(report["fix"]["agrees"], true);
}

TEST_F(BisectCommandTest, MendsNothingWhereNoneIsBad) {
  const std::string folder = Passes(3, 4), out = folder_ + "/mended.onnx";
  const Outcome outcome = Onnxcmp({"bisect", folder, "--fix", out});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("the outputs agree: there is nothing to mend"));
  EXPECT_FALSE(std::filesystem::exists(out));
  EXPECT_THAT(Onnxcmp({"bisect", folder, "--fix", folder + "/pass_1.onnxtxt"}).err,
              HasSubstr("is read by this command: it is not written over"));
  EXPECT_THAT(Onnxcmp({"bisect", "--git", "--reference", folder + "/pass_0.onnxtxt",
                       folder + "/pass_1.onnxtxt", "--fix", out})
                  .err,
              HasSubstr("--git judges one model alone: it excludes --fix"));
}

TEST_F(BisectCommandTest, FindsTheFirstBadOneOfAFolder) {
  const std::string folder = Passes(12, 7);
  const Outcome outcome = Onnxcmp({"bisect", folder, "--width", "160"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(
      outcome.out,
      AllOf(
          StartsWith("bisect     12 candidates, pass_0.onnxtxt to pass_11.onnxtxt\n"
                     "good       agrees with "),
          HasSubstr("\nbad   11 pass_11.onnxtxt  different, at most "),
          HasSubstr("\nbad    7 pass_7.onnxtxt "), HasSubstr("\ngood   6 pass_6.onnxtxt "),
          HasSubstr("\nstep       pass_6.onnxtxt → pass_7.onnxtxt: 3 nodes, the same operators; "),
          // The comparison of the step, as that of two sides.
          HasSubstr(
              Onnxcmp({folder + "/pass_6.onnxtxt", folder + "/pass_7.onnxtxt", "--width", "160"})
                  .out),
          HasSubstr("\nfirst bad  pass_7.onnxtxt; the last good one is pass_6.onnxtxt; "
                    "initializer f: the constants differ by up to 0.5: 2 | 2.5\n")));
  EXPECT_THAT(outcome.out, EndsWith("of 12 candidates\nexit 1\n"));
  // Nothing is left behind where no commands ran.
  EXPECT_FALSE(std::filesystem::exists("onnxcmp-bisect"));

  Json report;
  const std::string pattern = folder + "/pass_*.onnxtxt";
  EXPECT_EQ(InJson({"--models", pattern}, &report).status, 1);
  EXPECT_EQ(report["candidates"][10], folder + "/pass_10.onnxtxt");
  EXPECT_EQ(report["first_bad"], 7);
  EXPECT_EQ(report["last_good"], 6);
  EXPECT_EQ(report["suspects"], Json({7}));
  EXPECT_EQ(report["monotonic"], true);
  EXPECT_LE(report["judged"], 5);
  EXPECT_EQ(report["most_judged"], 5);
  EXPECT_EQ(report["step"]["from"], folder + "/pass_6.onnxtxt");
  EXPECT_EQ(report["step"]["causes"].size(), 1);
  EXPECT_EQ(report["against_reference"]["verdict"], "different");
  EXPECT_EQ(report["log"][0]["answer"], "bad");
}

TEST_F(BisectCommandTest, NothingIsBad) {
  Json report;
  const Outcome outcome = InJson({Passes(9, 9)}, &report);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(report["first_bad"], nullptr);
  EXPECT_EQ(report["step"], nullptr);
  EXPECT_THAT(
      Onnxcmp({"bisect", folder_ + "/p"}).out,
      HasSubstr("\nnone bad   4 of 9 have an answer, all are good, the last one among them\n"));
}

// Nothing is compared then, and yet all have an answer.
TEST_F(BisectCommandTest, AllFilesAreTheSame) {
  std::filesystem::create_directory(folder_ + "/p");
  for (const char* name : {"p/0", "p/1", "p/2"}) Scaled(name, "2");
  Json report;
  EXPECT_EQ(InJson({folder_ + "/p"}, &report).status, 0);
  EXPECT_EQ(report["judged"], 0);
  EXPECT_THAT(Onnxcmp({"bisect", folder_ + "/p"}).out,
              HasSubstr("all are good, the last one among them\n"));
}

// The first is no reference if another is given, and may be bad itself.
TEST_F(BisectCommandTest, AllAreBad) {
  Json report;
  const std::string folder = Passes(6, 0);
  const std::string good = Scaled("good", "2");
  EXPECT_EQ(InJson({folder, "--reference", good}, &report).status, 1);
  EXPECT_EQ(report["first_bad"], 0);
  EXPECT_EQ(report["last_good"], nullptr);
  EXPECT_EQ(report["against_reference"]["from"], good);
  EXPECT_EQ(report["against_reference"]["causes"].size(), 1);
  EXPECT_THAT(Onnxcmp({"bisect", folder, "--reference", good}).out,
              AllOf(HasSubstr("it is the first of all, so none is good"), HasSubstr("cause ")));
}

TEST_F(BisectCommandTest, AFaultThatWasMendedIsSaid) {
  Json report;
  const std::string folder = Passes(17, 6, 12);
  EXPECT_EQ(InJson({folder}, &report).status, 1);
  EXPECT_EQ(report["first_bad"], 6);
  EXPECT_EQ(report["monotonic"], false);
  EXPECT_EQ(report["good_again"], Json({16}));
  EXPECT_THAT(report["notes"][0].get<std::string>(), HasSubstr("not monotonic"));
  EXPECT_EQ(InJson({folder, "--every"}, &report).status, 1);
  EXPECT_EQ(report["good_again"], Json({13, 14, 15, 16}));
  EXPECT_EQ(report["judged"], 16);
  // Without another comparison: the file is one that was judged.
  std::filesystem::copy_file(folder + "/pass_0.onnxtxt", folder + "/pass_11.onnxtxt",
                             std::filesystem::copy_options::overwrite_existing);
  Scaled("p/pass_16", "2.5", 16);
  EXPECT_EQ(InJson({folder}, &report).status, 1);
  EXPECT_EQ(report["good_again"], Json({11}));
}

TEST_F(BisectCommandTest, ACommandMakesTheModels) {
  Passes(20, 13);
  const std::string dir = folder_ + "/work";
  const std::string start = folder_ + "/p/pass_0.onnxtxt";
  // 15 cannot be made, 14 does not want to be judged.
  const std::vector<std::string> arguments = {
      "--command",
      Giving("test {n} != 15 || exit 3; test {n} != 14 || exit 125; echo made {n} of {in}; "),
      "--count",
      "19",
      "--model",
      start,
      "--dir",
      dir};
  Json report;
  const Outcome outcome = InJson(arguments, &report);
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_EQ(report["candidates"][13], "n=13");
  EXPECT_EQ(report["first_bad"], 13);
  EXPECT_EQ(ReadFile(dir + "/13/output.txt"),
            absl::StrCat("$ ",
                         absl::StrReplaceAll(
                             arguments[1],
                             {{"{n}", "13"}, {"{in}", start}, {"{out}", dir + "/13/model.onnx"}}),
                         "\nmade 13 of ", start, "\n# exit status 0\n"));
  // A second run has all answers, and makes nothing anew.
  const std::string before = ReadFile(calls());
  const Outcome again = InJson(arguments, &report);
  EXPECT_EQ(again.status, 1);
  EXPECT_EQ(report["first_bad"], 13);
  EXPECT_EQ(report["log"][0]["earlier"], true);
  EXPECT_EQ(ReadFile(calls()), before);
  // Nor one that lacks the last answers.
  std::string log = ReadFile(dir + "/log.txt");
  WriteFile(dir + "/log.txt", log.substr(0, log.find('\n', log.find("\nbad 19") + 1) + 1));
  InJson(arguments, &report);
  EXPECT_EQ(report["first_bad"], 13);
  EXPECT_EQ(report["log"][0]["earlier"], true);
  EXPECT_EQ(report["log"][1]["earlier"], false);
  // Answers to another question are none.
  std::vector<std::string> other = arguments;
  other.insert(other.end(), {"--rtol", "10"});
  const Outcome refused = InJson(other, &report);
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("is of another bisection"));
}

// A model that the log was not about is no reference.
TEST_F(BisectCommandTest, WithoutTheLogTheReferenceIsMadeAnew) {
  Passes(6, 3);
  const std::string dir = folder_ + "/work";
  Json report;
  const std::string good_first = absl::StrCat("cp ", folder_, "/p/pass_{n}.onnxtxt {out}");
  EXPECT_EQ(InJson({"--command", good_first, "--first", "0", "--count", "3", "--dir", dir}, &report)
                .status,
            0);
  std::filesystem::remove(dir + "/log.txt");
  const std::string bad_first = absl::StrCat("cp ", folder_, "/p/pass_$((5 - {n})).onnxtxt {out}");
  EXPECT_EQ(InJson({"--command", bad_first, "--first", "0", "--count", "5", "--dir", dir}, &report)
                .status,
            1);
  EXPECT_EQ(report["first_bad"], 3);
}

TEST_F(BisectCommandTest, OtherInputsInAFolderAreAnotherQuestion) {
  const std::string folder = Passes(3, 2);
  const std::string inputs = folder_ + "/part/test_data_set_0";
  ASSERT_EQ(
      Onnxcmp({"extract", folder + "/pass_0.onnxtxt", "--to", "y", "-o", folder_ + "/part"}).status,
      0);
  const std::vector<std::string> arguments = {folder, "--inputs", inputs, "--dir",
                                              folder_ + "/work"};
  Json report;
  EXPECT_EQ(InJson(arguments, &report).status, 1);
  EXPECT_EQ(InJson(arguments, &report).status, 1);
  EXPECT_EQ(report["log"][0]["earlier"], true);
  const std::filesystem::path input = inputs + "/input_0.pb";
  std::filesystem::last_write_time(input,
                                   std::filesystem::last_write_time(input) + std::chrono::hours(1));
  EXPECT_THAT(InJson(arguments, &report).err, HasSubstr("is of another bisection"));
}

TEST_F(BisectCommandTest, AnotherTimeLimitIsAnotherQuestion) {
  const std::string folder = Passes(3, 3);
  const std::string dir = folder_ + "/work";
  Json report;
  const std::vector<std::string> arguments = {folder,  "--check", "sleep 2; test -e {model}",
                                              "--dir", dir,       "--timeout"};
  const auto with_limit = [&](const std::string& limit) {
    std::vector<std::string> all = arguments;
    all.push_back(limit);
    return InJson(all, &report);
  };
  EXPECT_EQ(with_limit("1s").status, 1);
  const Outcome outcome = with_limit("1m");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("is of another bisection"));
}

TEST_F(BisectCommandTest, OnlySkippedOnesAreLeft) {
  Passes(9, 5);
  Json report;
  const Outcome outcome =
      InJson({"--command", Giving("case {n} in 4|5|6) exit 1;; esac; "), "--count", "8", "--model",
              folder_ + "/p/pass_0.onnxtxt", "--dir", folder_ + "/work"},
             &report);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(report["first_bad"], nullptr);
  EXPECT_EQ(report["suspects"], Json({4, 5, 6, 7}));
  EXPECT_EQ(report["log"][1]["answer"], "skip");
  EXPECT_EQ(report["log"][1]["text"], "not made: exit status 1");
}

TEST_F(BisectCommandTest, ACheckDecides) {
  const std::string folder = Passes(10, 10);
  const std::string check = absl::StrCat(
      "n=$(basename {model} .onnxtxt); n=${n#pass_}; test $n != 9 "
      "|| kill -SEGV $$; test $n != 5 || sleep 60; ! test $n = 6");
  Json report;
  const Outcome outcome =
      InJson({folder, "--check", check, "--dir", folder_ + "/work", "--timeout", "2s", "--every"},
             &report);
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_EQ(report["reference"], nullptr);
  EXPECT_EQ(report["first_bad"], 5);
  EXPECT_EQ(report["log"][0]["text"], "check: exit status 0");
  EXPECT_EQ(report["log"][5]["text"], "check: no end within 2s");
  EXPECT_EQ(report["log"][6]["text"], "check: exit status 1");
  EXPECT_EQ(report["log"][9]["text"], "check: ended by signal 11 (Segmentation fault)");
  // The models agree: what fails is not in their values.
  EXPECT_THAT(report["notes"].dump(), HasSubstr("what fails the check is something else"));
  // A check that is none blames nobody.
  const Outcome none =
      InJson({folder, "--check", "no_such_check {model}", "--dir", folder_ + "/w2"}, &report);
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("the check cannot be run"));
}

TEST_F(BisectCommandTest, CandidatesByName) {
  Passes(8, 5);
  const std::string list = WriteFile(
      folder_ + "/versions.txt", "# of the exporter\npass_0\npass_3\n\npass_4\npass_5\npass_7\n");
  Json report;
  const Outcome outcome = InJson({"--command", absl::StrCat("cp ", folder_, "/p/{}.onnxtxt {out}"),
                                  "--candidates", list, "--dir", folder_ + "/work"},
                                 &report);
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_EQ(report["candidates"], Json({"pass_0", "pass_3", "pass_4", "pass_5", "pass_7"}));
  EXPECT_EQ(report["first_bad"], 3);
}

// A model that cannot run is bad, one that only we cannot judge is not.
TEST_F(BisectCommandTest, ModelsThatFail) {
  const std::string folder = Passes(5, 5);
  Model("p/pass_4",
        "(float[64] x) => (float[64] y) { s = Shape(x) y = Reshape(x, s) z = Size(x) "
        "q = Gather(x, z) }");
  Json report;
  EXPECT_EQ(InJson({folder}, &report).status, 1);
  EXPECT_EQ(report["first_bad"], 4);
  Model("p/pass_4", "(float[64] x) => (float[64] y) { y = local.Unheard(x) }");
  const Outcome outcome = InJson({folder}, &report);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(report["log"][0]["answer"], "skip") << report["log"].dump();
  WriteFile(folder + "/pass_4.onnxtxt", "no model");
  EXPECT_EQ(InJson({folder}, &report).status, 1);
  EXPECT_EQ(report["first_bad"], 4);
  // Nothing can be said beside a reference that fails.
  WriteFile(folder + "/pass_0.onnxtxt", "no model");
  const Outcome none = InJson({folder}, &report);
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("the reference "));
}

TEST_F(BisectCommandTest, GoesOnAfterAnInterruption) {
  Passes(20, 13);
  const std::string dir = folder_ + "/work";
  std::vector<std::string> arguments = {"bisect",
                                        "--command",
                                        Giving("test -e {in}.fast || test {n} = 19 || sleep 60; "),
                                        "--count",
                                        "19",
                                        "--model",
                                        folder_ + "/p/pass_0.onnxtxt",
                                        "--dir",
                                        dir};
  const Outcome stopped = OnnxcmpInterrupted(arguments, 2, 3000);
  EXPECT_EQ(stopped.status, -2);
  EXPECT_THAT(ReadFile(dir + "/log.txt"), AllOf(HasSubstr("\nbad 19 "), Not(HasSubstr("\ngood"))));
  WriteFile(folder_ + "/p/pass_0.onnxtxt.fast", "");
  const Outcome outcome = Onnxcmp(arguments);
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("earlier: different"), HasSubstr("\nfirst bad  n=13; ")));
}

// As docs/which_pass.md has it: git chooses the commits, each is built and judged.
TEST_F(BisectCommandTest, GitBisectRun) {
  Scaled("good", "2");
  // Commit 4 does not build; commit 7 is the first that is wrong.
  const std::string make_repository = absl::StrCat(
      "cd ", folder_, " && git init -q repo && cd repo && git config user.email a@b && git config ",
      "user.name n && git config commit.gpgsign false && for i in 1 2 3 4 5 6 7 8 9 10; do ",
      "f=2; test $i -lt 7 || f=2.5; sed \"s/2}/$f}/;s/unread = {0}/unread = {$i}/\" "
      "../good.onnxtxt ",
      "> model.txt; echo $i > number; echo 'cp model.txt $1' > build.sh; ",
      "test $i != 4 || echo 'exit 1' > build.sh; git add -A && git commit -q -m commit-$i; done "
      "&& ",
      "git bisect start HEAD HEAD~9 && ");
  const Outcome outcome = Shell(absl::StrCat(
      make_repository, "git bisect run \"$ONNXCMP\" bisect --git --reference ../good.onnxtxt ",
      "--command 'sh build.sh {out}' --dir ../work; git bisect log"));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("is the first bad commit"), HasSubstr("commit-7")))
      << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("# first bad commit: ["));
  const std::string first_bad = outcome.out.substr(outcome.out.find("# first bad commit: ["));
  EXPECT_THAT(first_bad, HasSubstr("commit-7"));
  // The commit that does not build is skipped when git comes to it.
  const auto status_at = [&](const std::string& command) {
    return Shell(absl::StrCat("cd ", folder_,
                              "/repo && git bisect reset >/dev/null 2>&1; "
                              "git checkout -q master~6 2>/dev/null || git checkout -q main~6; ",
                              command))
        .status;
  };
  EXPECT_EQ(status_at("\"$ONNXCMP\" bisect --git --reference ../good.onnxtxt --command "
                      "'sh build.sh {out}' --dir ../work"),
            125);
  // Mistakes of ours stop git; they blame no commit.
  EXPECT_EQ(status_at("\"$ONNXCMP\" bisect --git --reference ../none.onnxtxt --command "
                      "'cp model.txt {out}' --dir ../work"),
            128);
  EXPECT_EQ(status_at("\"$ONNXCMP\" bisect --git --no-such-option"), 128);
  EXPECT_EQ(status_at("\"$ONNXCMP\" bisect --git --check 'test -e {model}' model.txt"), 0);
  EXPECT_EQ(status_at("\"$ONNXCMP\" bisect --git --check 'test -d {model}' model.txt"), 1);
}

TEST_F(BisectCommandTest, Mistakes) {
  const std::string a = Scaled("a", "2");
  const auto refused = [&](std::vector<std::string> arguments, const std::string& part) {
    arguments.insert(arguments.begin(), "bisect");
    const Outcome outcome = Onnxcmp(arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr(part)) << absl::StrJoin(arguments, " ");
  };
  refused({}, "models are needed");
  refused({a}, "two candidates at least are needed");
  refused({a, "none.onnx"}, "there is no file none.onnx");
  refused({folder_ + "/*.none"}, "no file matches");
  refused({a, a, "--command", "x {out}"}, "exclude --command");
  refused({"--command", "x {out}"}, "--command needs --count N or --candidates FILE");
  refused({"--command", "x {n}", "--count", "3"}, "lacks {out}");
  refused({"--command", "x {out}", "--count", "3"}, "--count is for {n}");
  refused({"--command", "x {n} {in} {out}", "--count", "3"}, "{in} is the file of --model");
  refused({"--command", "x {out}", "--candidates", a}, "--candidates is for {}");
  refused({a, a, "--check", "x", "--reference", a}, "exclude each other");
  refused({a, a, "--timeout", "soon"}, "--timeout: 'soon' is no time");
}

}  // namespace
}  // namespace onnxcmp
