// A result in a few words: its operator, its name, its type.
#ifndef ONNXCMP_RECORD_STREAMS_RESULT_TEXT_H_
#define ONNXCMP_RECORD_STREAMS_RESULT_TEXT_H_

#include <string>

#include "record/streams/result_stream.h"

namespace onnxcmp {

// The operator that made a result, or "init", "input", "output".
std::string WhatMade(const ResultStream& stream, int result);

// A result's name after its path, as --tolerance takes it: "loop_1[3]/product"; "" for kNone.
std::string PathAndName(const ResultStream& stream, int result);
std::string PathAndName(const std::string& path, const std::string& name);
// "f32 1x30x16", "i64" (a scalar), "seq(float[2])".
std::string ShortType(const StreamResult& result);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_STREAMS_RESULT_TEXT_H_
