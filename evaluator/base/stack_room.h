// The room that a thread's stack leaves for nested graphs.
#ifndef ONNXCMP_EVALUATOR_BASE_STACK_ROOM_H_
#define ONNXCMP_EVALUATOR_BASE_STACK_ROOM_H_

namespace onnxcmp {

// Levels of nesting that the calling thread's stack has room for, at most `most`: graphs and types
// in one another are walked by recursion, here and in ONNX's library.
int NestingThatFits(int most);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_BASE_STACK_ROOM_H_
