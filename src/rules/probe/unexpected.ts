import { resourceRule } from '../engine/define-rule.ts'

export const unexpected = resourceRule('probe', {
  id: 'probe/unexpected',
  title: "Function's result is not what its probe expects",
  severity: 'high',
  packs: ['delivery'],
  check({ attributes: { unexpected: complaint } }) {
    if (typeof complaint === 'string') return { path: '/unexpected', message: complaint }
    return undefined
  },
})
