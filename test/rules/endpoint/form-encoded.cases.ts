import { anEndpoint, type Cases, endpoints } from '../rule-cases.ts'

export const cases: Cases = {
  'finds an endpoint that is sent forms': {
    sees: [anEndpoint({ content_type: 'application/x-www-form-urlencoded' })],
    finds: [
      'medium e1/content_type: sends forms: numbers lose their fractions, and the signature is not that of the body',
    ],
  },
  'leaves JSON alone, and a type that the service sends as JSON': {
    sees: endpoints({ content_type: 'application/json' }, { content_type: 'text/plain' }, { content_type: '' }),
  },
  'is silent where the type is not shown': { sees: endpoints({}) },
}
