#include "compare/sides/value_store.h"

#include <vector>

#include <gtest/gtest.h>

namespace onnxcmp {
namespace {

Tensor CountUp(int64_t count) {
  return Tensor::Of<float>({count}, std::vector<float>(static_cast<size_t>(count), 1.0f));
}

TEST(ValueStoreTest, BothPartsAreFound) {
  ValueStore store(40, 80);
  EXPECT_FALSE(store.KeepForSearch(1, CountUp(10)));
  store.ServeSearch();
  EXPECT_TRUE(store.KeepForSearch(1, CountUp(20)));
  EXPECT_FALSE(store.KeepForSearch(2, CountUp(1)));
  EXPECT_TRUE(store.Keep(3, CountUp(10)));
  for (const int kept : {1, 3}) EXPECT_NE(store.Find(kept), nullptr) << kept;
  EXPECT_EQ(store.Find(2), nullptr);
  store.Drop(1);
  EXPECT_EQ(store.Find(1), nullptr);
}

TEST(ValueStoreTest, WhatTheSearchHadEndsWithIt) {
  ValueStore store(40, 80);
  store.ServeSearch();
  store.KeepForSearch(1, CountUp(20));
  store.Keep(3, CountUp(10));
  store.EndSearch();
  EXPECT_FALSE(store.serves_search());
  EXPECT_EQ(store.Find(1), nullptr);
  EXPECT_NE(store.Find(3), nullptr);
  // Values that the search hands back are in memory already, and stay until the table is made.
  store.TakeOver(2, CountUp(1000));
  EXPECT_NE(store.Find(2), nullptr);
  store.EndSearch();
  EXPECT_EQ(store.Find(2), nullptr);
}

}  // namespace
}  // namespace onnxcmp
