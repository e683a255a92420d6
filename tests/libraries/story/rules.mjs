// Short words for what a flag is made of.

export const rollout = (percent, stickiness, more = {}) => ({
  name: 'flexibleRollout',
  parameters: { rollout: String(percent), stickiness, ...more.parameters },
  ...(more.constraints && { constraints: more.constraints }),
  ...(more.segments && { segments: more.segments }),
  ...(more.variants && { variants: more.variants }),
  ...(more.disabled && { disabled: true }),
});

export const everybody = (more = {}) => ({ name: 'default', parameters: {}, ...more });

export const users = (...ids) => ({ name: 'userWithId', parameters: { userIds: ids.join(', ') } });

export const fixed = (name, weight, more = {}) => ({ name, weight, weightType: 'fix', stickiness: 'userId', ...more });

export const share = (name, more = {}) => ({ name, weight: 0, weightType: 'variable', stickiness: 'userId', ...more });
