/** Formats of an answer. They have a file of their own, so that `--help` loads no writer. */
export const answerFormats = ['text', 'json', 'csv', 'jsonl'] as const
export type AnswerFormat = (typeof answerFormats)[number]
