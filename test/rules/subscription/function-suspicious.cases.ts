import { aSubscription, type Cases } from '../rule-cases.ts'

const body = (text: string, parameter = 'payload') =>
  aSubscription({ function: `function transform(${parameter}) { ${text}; return ${parameter} }` })
const suspicious = (what: string) => [`medium s1/function: ${what}`]

export const cases: Cases = {
  'finds eval and the like': {
    sees: [body('eval(payload.code)'), body('new Function(payload.code)()')],
    finds: [...suspicious('runs text as code'), ...suspicious('runs text as code')],
  },
  'finds what the inventory sealed': {
    sees: [body(`const key = 'sealed:${'0'.repeat(32)}'`)],
    finds: suspicious('contains what looks like a credential'),
  },
  'finds a long text': {
    sees: [body('x'.repeat(70_000))],
    finds: suspicious('is 69 KB long (policy: at most 64 KB)'),
  },
  'measures by its option': {
    sees: [body('x'.repeat(2000))],
    options: { max_kilobytes: 1 },
    finds: suspicious('is 2 KB long (policy: at most 1 KB)'),
  },
  'reports all at once': {
    sees: [body(`eval(payload.code + 'sealed:${'0'.repeat(32)}')`)],
    finds: suspicious('contains what looks like a credential; runs text as code'),
  },
  'leaves a payload in the log alone, as the service keeps no log': { sees: [body('console.log(payload)')] },
  'reads neither comments nor texts': {
    sees: [
      body('return `eval(x)`; // eval(payload)'),
      body(`/* eval(payload) */ return { event_type: "eval(x)", data: 'Function(x)' }`),
    ],
  },
  'leaves names that sound like it alone': {
    sees: [body('medieval(payload); isFunction(payload); scope.eval(payload)')],
  },
  'ends quickly for an unclosed text': {
    sees: ['/*', '`\\', '"\\', "'"].map((text) => body(`eval; ${text.repeat(20_000)}`)),
  },
  'is silent without a function': { sees: [aSubscription({ function: null })] },
}
