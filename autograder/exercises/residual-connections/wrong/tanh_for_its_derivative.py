"""The gradient is multiplied by tanh(z) instead of the derivative of tanh."""

import numpy as np

hint = "What is the slope of tanh at zero, and what does your factor say there?"
loses = ["sublayer", "run_stack", "gradient_table", "residual_pair", "exercise_1", "exercise_2", "exercise_3"]


def sublayer_backward(dout, cache, W):
    return (dout * np.tanh(cache)) @ W.T
