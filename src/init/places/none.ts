import { localHistory, type PlaceContext, type PlacePlan, variableReference } from './place.ts'

/** Audits by hand, on this machine. */
export function planNone({ keyVariable }: PlaceContext): PlacePlan {
  return {
    folder: '',
    needs: { key: variableReference(keyVariable), history: localHistory.path, worker: undefined },
    files: localHistory.files,
    next: [
      { command: `read -rs ${keyVariable} && export ${keyVariable}`, purpose: 'type or paste the key' },
      { command: 'hookdrift audit', purpose: 'the first run that is kept' },
    ],
  }
}
