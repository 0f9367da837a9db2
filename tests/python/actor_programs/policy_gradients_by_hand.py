"""Policy gradients without a library: actors play games with the driver's model, a dict of arrays, and send the gradients that they work out."""

import numpy as np
import ray

WIDTH, HEIGHT, HIDDEN, BATCH, UPDATES, DISCOUNT, DECAY, RATE = 5, 4, 16, 8, 60, 0.95, 0.9, 0.03


class Catch:
    """A ball falls, a paddle below moves to the left or right. The reward is 1 where it ends up under the ball, else -1."""

    def __init__(self, random):
        self.random = random

    def reset(self):
        self.ball, self.row, self.paddle = self.random.randint(WIDTH), 0, WIDTH // 2
        return self.seen()

    def seen(self):
        return np.array([self.ball - self.paddle, HEIGHT - self.row, 1.0]) / WIDTH

    def step(self, to_the_right):
        self.paddle = min(max(self.paddle + (1 if to_the_right else -1), 0), WIDTH - 1)
        self.row += 1
        done = self.row == HEIGHT
        return self.seen(), (1.0 if abs(self.ball - self.paddle) <= 1 else -1.0) if done else 0.0, done


def forward(model, x):
    """(the probability of a step to the right, what the hidden layer gives)."""
    hidden = np.maximum(model["W1"] @ x, 0)
    return 1 / (1 + np.exp(-model["W2"] @ hidden)), hidden


def backward(model, xs, hiddens, slopes):
    """Gradients of the model from those of the logits."""
    through = np.outer(slopes, model["W2"]) * (hiddens > 0)
    return {"W1": through.T @ xs, "W2": slopes @ hiddens}


@ray.remote
class Player:
    def __init__(self, seed):
        self.random = np.random.RandomState(seed)
        self.game = Catch(self.random)

    def compute_gradient(self, model):
        """(gradients of one game, what it has brought)."""
        x, xs, hiddens, slopes, rewards, done = self.game.reset(), [], [], [], [], False
        while not done:
            probability, hidden = forward(model, x)
            action = self.random.rand() < probability
            xs.append(x)
            hiddens.append(hidden)
            slopes.append(action - probability)
            x, reward, done = self.game.step(action)
            rewards.append(reward)
        worth = np.array([sum(DISCOUNT ** (later - now) * rewards[later] for later in range(now, len(rewards))) for now in range(len(rewards))])
        return backward(model, np.array(xs), np.array(hiddens), np.array(slopes) * worth), sum(rewards)


ray.init(num_cpus=2)
random = np.random.RandomState(1)
model = {"W1": random.randn(HIDDEN, 3) / np.sqrt(3), "W2": random.randn(HIDDEN) / np.sqrt(HIDDEN)}
cache = {name: np.zeros_like(value) for name, value in model.items()}
players = [Player.remote(seed) for seed in range(2)]
mean_reward = 0.0
for _ in range(UPDATES):
    model_id = ray.put(model)
    games = ray.get([players[i % 2].compute_gradient.remote(model_id) for i in range(BATCH)])
    for name in model:  # RMSProp
        gradient = sum(gradients[name] for gradients, _ in games)
        cache[name] = DECAY * cache[name] + (1 - DECAY) * gradient ** 2
        model[name] += RATE * gradient / (np.sqrt(cache[name]) + 1e-5)
    mean_reward = 0.9 * mean_reward + 0.1 * sum(reward for _, reward in games) / BATCH
print("catches:", mean_reward > 0.8)
