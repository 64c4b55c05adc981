import { anEndpoint, type Cases, changed } from '../rule-cases.ts'

const outside = 'modified between 2026-11-20 13:02 and 14:02 UTC, outside every change window'

export const cases: Cases = {
  'finds a resource that changed outside every window, once': {
    compares: [changed(anEndpoint({ name: 'b', url: '' }), { name: 'a', url: 'https://b.example.com' }, { outside })],
    finds: [`medium e1: ${outside}`],
  },
  'finds one that came': {
    compares: [{ ...changed(anEndpoint({}), { name: 'a' }, { outside }), before: undefined }],
    finds: [`medium e1: ${outside}`],
  },
  'leaves a change alone that may have been made in a window': {
    compares: [changed(anEndpoint({ name: 'b' }), { name: 'a' })],
  },
  'leaves alone what is as it was': { compares: [changed(anEndpoint({ name: 'a' }), { name: 'a' }, { outside })] },
}
