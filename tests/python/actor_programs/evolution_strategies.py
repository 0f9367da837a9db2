"""Evolution strategies: workers try random changes of a policy's weights, made from a table of noise that all of them read."""

import numpy as np
import ray

NOISE, WORKERS, EPISODES, SIGMA, LEARNING_RATE = 100_000, 2, 40, 0.1, 0.2
TARGET = np.array([0.5, -1.0, 0.25])


def reward_of(weights):
    """Of an environment that wants the policy to be near a point."""
    return -float(np.sum((weights - TARGET) ** 2))


@ray.remote
class Worker:
    def __init__(self, noise, seed):
        self.noise, self.random = noise, np.random.RandomState(seed)
        assert not noise.flags.writeable  # it is the object store's

    def rollouts(self, weights, count):
        found = []
        for _ in range(count):
            at = self.random.randint(0, NOISE - weights.size)
            change = SIGMA * self.noise[at:at + weights.size]
            found.append((at, reward_of(weights + change), reward_of(weights - change)))
        return found


ray.init(num_cpus=2)
noise = np.random.RandomState(123).randn(NOISE)
noise_ref = ray.put(noise)
workers = [Worker.remote(noise_ref, seed) for seed in range(WORKERS)]
weights = np.zeros(3)
for _ in range(60):
    ref = ray.put(weights)
    results = sum(ray.get([worker.rollouts.remote(ref, EPISODES // WORKERS) for worker in workers]), [])
    step = sum((up - down) * noise[at:at + weights.size] for at, up, down in results) / (2 * SIGMA * len(results))
    weights = weights + LEARNING_RATE * step
print("reward", "near 0" if reward_of(weights) > -0.01 else reward_of(weights))
