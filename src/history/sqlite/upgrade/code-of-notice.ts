import type { NoticeCode } from '../../../model/notice.ts'

/** The code of a notice from before schema 10, by the start of its sentence and, where needed, another part. */
export function codeOfNotice(text: string): NoticeCode {
  const isMeant = ([start, other]: Sentence) => text.startsWith(start) && text.includes(other)
  return sentences.find(([sentence]) => isMeant(sentence))?.[1] ?? 'unspecified'
}

type Sentence = readonly [start: string, other: string]

/** The first that fits counts. */
const sentences: readonly (readonly [Sentence, NoticeCode])[] = [
  [['the clock went back: ', ''], 'clock_went_back'],
  [['the probe', ' did not run: no function that was seen is meant'], 'probe_unmatched'],
  [['the probe', ' did not run: '], 'probe_not_run'],
  [['this run was told to leave the probes out', ''], 'probes_disabled'],
  [['the service shows other fields than before, ', ''], 'fields_changed'],
  [['this hookdrift has another normal form: ', ''], 'normal_form_changed'],
  [['the installation key changed: ', ''], 'seal_key_changed'],
  [['what was approved was sealed under another installation key: ', ''], 'approval_not_compared'],
  [['the custom rule ', ' could not judge everything, '], 'custom_rule_failed'],
  [['the rule ', ' failed and judged nothing '], 'rule_failed'],
  [['', ' as something other than '], 'field_malformed'],
  [['', ' is no longer referenced by any subscription; '], 'resource_unreferenced'],
]
