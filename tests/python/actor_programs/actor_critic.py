"""A3C: actors play with their own copy of a network and send gradients, the driver applies each as it comes."""

import numpy as np
import ray
import tensorflow as tf

ACTORS, LENGTH, UPDATES, DISCOUNT = 2, 5, 250, 0.9


class Corridor:
    """Five places in a row; the reward is at the right end. Observations are one-hot."""

    def reset(self):
        self.at, self.steps = 0, 0
        return np.eye(LENGTH, dtype=np.float32)[self.at]

    def step(self, action):
        self.at, self.steps = max(self.at + (1 if action == 1 else -1), 0), self.steps + 1
        done = self.at == LENGTH - 1 or self.steps == 30
        return np.eye(LENGTH, dtype=np.float32)[self.at], float(self.at == LENGTH - 1), done


class Policy:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, LENGTH])
        self.action, self.advantage, self.value_target = (tf.placeholder(dtype, [None]) for dtype in (tf.int32, tf.float32, tf.float32))
        logits = tf.layers.dense(self.x, 2, kernel_initializer=tf.zeros_initializer())
        self.value = tf.layers.dense(self.x, 1, kernel_initializer=tf.zeros_initializer())[:, 0]
        self.probabilities = tf.nn.softmax(logits)
        chosen = -tf.nn.sparse_softmax_cross_entropy_with_logits(labels=self.action, logits=logits)
        entropy = -tf.reduce_sum(self.probabilities * tf.nn.log_softmax(logits), axis=1)
        loss = tf.reduce_mean(-chosen * self.advantage + 0.5 * tf.square(self.value - self.value_target) - 0.01 * entropy)
        optimizer = tf.train.AdamOptimizer(0.05)
        self.gradients, variables = zip(*optimizer.compute_gradients(loss))
        self.apply = optimizer.apply_gradients(zip(self.gradients, variables))
        self.sess = tf.Session()
        self.variables = ray.experimental.TensorFlowVariables(loss, self.sess)
        self.sess.run(tf.global_variables_initializer())

    def probability_of_right(self, observation):
        return self.sess.run(self.probabilities, {self.x: [observation]})[0][1]

    def apply_gradients(self, gradients):
        self.sess.run(self.apply, dict(zip(self.gradients, gradients)))


@ray.remote
class Player:
    def __init__(self, seed):
        self.policy, self.environment, self.random = Policy(), Corridor(), np.random.RandomState(seed)

    def gradients(self, weights):
        policy = self.policy
        policy.variables.set_weights(weights)
        observations, actions, rewards, done = [self.environment.reset()], [], [], False
        while not done:
            actions.append(int(self.random.rand() < policy.probability_of_right(observations[-1])))
            observation, reward, done = self.environment.step(actions[-1])
            observations.append(observation)
            rewards.append(reward)
        returns, following = [], 0.0
        for reward in reversed(rewards):
            following = reward + DISCOUNT * following
            returns.insert(0, following)
        x = np.array(observations[:-1])
        advantages = np.array(returns) - policy.sess.run(policy.value, {policy.x: x})
        return policy.sess.run(policy.gradients, {policy.x: x, policy.action: actions, policy.advantage: advantages,
                                                  policy.value_target: returns})


ray.init(num_cpus=2)
players = [Player.remote(seed) for seed in range(ACTORS)]
policy = Policy()
running = {player.gradients.remote(policy.variables.get_weights()): player for player in players}
for _ in range(UPDATES):
    (ready,), _ = ray.wait(list(running))
    player = running.pop(ready)
    policy.apply_gradients(ray.get(ready))
    running[player.gradients.remote(policy.variables.get_weights())] = player
print("goes right:", policy.probability_of_right(Corridor().reset()) > 0.9)
