#include "cli/batch/pair_schedule.h"

#include <optional>

#include <gtest/gtest.h>

namespace onnxcmp::cli {
namespace {

TEST(PairScheduleTest, TwoGiantsDoNotMeet) {
  PairSchedule schedule(100);
  schedule.Add(0, 70);
  schedule.Add(1, 60);
  schedule.Add(2, 20);
  EXPECT_EQ(schedule.Start(), 0u);
  // The second does not fit beside the first, the third does.
  EXPECT_EQ(schedule.Start(), 2u);
  EXPECT_EQ(schedule.Start(), std::nullopt);
  schedule.End(70);
  EXPECT_EQ(schedule.Start(), 1u);
  EXPECT_TRUE(schedule.empty());
}

TEST(PairScheduleTest, WhatIsTooLargeRunsAlone) {
  PairSchedule schedule(100);
  schedule.Add(0, 1000);
  schedule.Add(1, 1);
  EXPECT_EQ(schedule.Start(), 0u);
  EXPECT_EQ(schedule.Start(), std::nullopt);
  schedule.End(1000);
  EXPECT_EQ(schedule.Start(), 1u);
}

TEST(PairScheduleTest, NobodyIsOvertakenForever) {
  PairSchedule schedule(100);
  schedule.Add(0, 50);
  schedule.Add(1, 90);
  EXPECT_EQ(schedule.Start(), 0u);
  int overtaken = 0;
  for (size_t i = 2; i < 1000; ++i) {
    schedule.Add(i, 1);
    if (!schedule.Start().has_value()) break;
    schedule.End(1);
    ++overtaken;
  }
  EXPECT_GT(overtaken, 10);
  EXPECT_LT(overtaken, 200);
  schedule.End(50);
  EXPECT_EQ(schedule.Start(), 1u);
}

TEST(PairScheduleTest, ThereIsMemory) {
  EXPECT_GT(MemoryForPairs(), 1 << 20);
  EXPECT_GT(EstimatePairMemory(1 << 30), EstimatePairMemory(0) + (1 << 30));
}

}  // namespace
}  // namespace onnxcmp::cli
