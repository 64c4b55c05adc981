import { count } from '../text/count.ts'

/** `, with 2 exemptions and 1 observation`; empty without any. */
export function describeBesides({
  exemptions,
  observations,
}: {
  readonly exemptions: number
  readonly observations: number
}): string {
  const said = [
    ...(exemptions === 0 ? [] : [count(exemptions, 'exemption')]),
    ...(observations === 0 ? [] : [count(observations, 'observation')]),
  ]
  return said.length === 0 ? '' : `, with ${said.join(' and ')}`
}
