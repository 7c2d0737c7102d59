"""The backward pass treats the sublayer as linear and skips the slope of tanh."""

hint = "Between the output and the matrix there is one more step on the way back."
loses = ["sublayer", "run_stack", "gradient_table", "residual_pair", "exercise_1", "exercise_2", "exercise_3"]


def sublayer_backward(dout, cache, W):
    return dout @ W.T
