import { resourceRule } from '../engine/define-rule.ts'

export const verifierReplayable = resourceRule('source', {
  id: 'source/verifier-replayable',
  title: 'Nothing binds the events of a source to their sender',
  severity: 'low',
  packs: ['standard-webhooks'],
  check({ attributes: { verifier } }) {
    if (verifier?.type === 'basic_auth' || verifier?.type === 'api_key') {
      return {
        path: '/verifier/type',
        message: `\`${verifier.type}\` proves nothing about the payload: a person who sees one request can send others`,
      }
    }
    return undefined
  },
})
