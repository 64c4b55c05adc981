import { anEndpoint, type Cases } from '../rule-cases.ts'

const options = { name: '^[a-z]+-[0-9]{3}$', description: '\\S' }
const endless = `${'a'.repeat(20_000)}!`

export const cases: Cases = {
  'finds names and descriptions that break their pattern': {
    sees: [anEndpoint({ name: 'Billing 1', description: null })],
    options,
    finds: [
      'low e1/name: name "Billing 1" does not match `^[a-z]+-[0-9]{3}$`',
      'low e1/description: description "" does not match `\\S`',
    ],
  },
  'leaves names and descriptions that match alone': {
    sees: [anEndpoint({ name: 'billing-001', description: 'invoices' })],
    options,
  },
  'is silent without patterns': { sees: [anEndpoint({ name: 'Billing 1' })] },
  'is silent where nothing is shown': { sees: [anEndpoint({})], options },
  'takes time that grows only with the name, with any pattern': {
    sees: [anEndpoint({ name: endless })],
    options: { name: '^(a+)+$' },
    finds: [`low e1/name: name "${endless}" does not match \`^(a+)+$\``],
  },
}
