// What the server refuses, in the page's language: its API speaks English, and names settings as programs do.

import { language, say } from "./words.js";

/** Why a value is refused, in the words of the API's schema, and the name of the message that says it here. */
const REASONS = [
  [/^it must be from (?<least>[\d,]+) to (?<most>[\d,]+)$/, "refused_range"],
  [/^it must be more than (?<least>[\d,]+) and at most (?<most>[\d,]+)$/, "refused_between"],
  [/^Input should be greater than or equal to (?<limit>[\d.]+)$/, "refused_least"],
  [/^Input should be less than or equal to (?<limit>[\d.]+)$/, "refused_most"],
  [/^Input should be greater than (?<limit>[\d.]+)$/, "refused_above"],
  [/^Input should be less than (?<limit>[\d.]+)$/, "refused_below"],
  [/^Input should be a valid string/, "refused_text"],
  [/^Input should be a valid (?:integer|number|decimal)/, "refused_number"],
  [/^Input should be a valid boolean/, "refused_switch"],
  [/^Input should be a valid list/, "refused_list"],
  [/^Input should be a valid dictionary|^Input should be an object/, "refused_object"],
  [/^Input should be (?<choices>'.+')$/, "refused_choice"],
  [/^String should have at most (?<limit>\d+) characters?$/, "refused_long"],
  [/^String should have at least (?<limit>\d+) characters?$/, "refused_short"],
  [/^(?:List|Dictionary) should have at most (?<limit>\d+) items?/, "refused_many"],
  [/^Extra inputs are not permitted$/, "refused_unknown"],
  [/^Field required$/, "refused_missing"],
  [/^use auto, or a language tag\b/, "refused_locale"],
];

/** Whole messages of the server; `name` is the API's name of a setting. */
const MESSAGES = [
  [/^(?<name>prompts\.\w+) uses the variable '(?<given>[^']*)', which does not exist\. It can use (?<there>.+)\.$/, "refused_prompt"],
  [/^The question is empty\b/, "refused_empty"],
  [/^The message is empty\b/, "refused_no_message"],
  [/^The message has (?<count>[\d,]+) characters, and at most (?<limit>[\d,]+) are allowed\b/, "refused_message"],
  [/^This run has had (?<limit>\d+) messages\b/, "refused_messages"],
  [/^Another run \([^)]*\) is working on this thread\b/, "refused_busy"],
  [/^(?<file>.+) cannot be read\. Attach text, PDF, .+$/, "refused_file"],
  [/^A thread can have (?<limit>\d+) files\b/, "refused_files"],
  [/^(?<file>.+) is too large: at most (?<limit>\d+) MB can be attached\.$/, "refused_size"],
  [/^(?<file>.+) cannot be (?:stored|removed): .+$/, "refused_disk"],
  [/^(?<file>.+) cannot be written \(.+\)\. Make room\b/, "refused_disk"],
  [/^There is no search '(?<value>[^']*)'.*$/, "refused_search"],
  [/^(?<value>['"].+['"]) is not a domain\./, "refused_domain"],
  [/^There is no endpoint '(?<value>[^']*)'.*$/, "refused_endpoint"],
  [/^The folder (?<folder>.+?) is not open to this server\b/, "refused_folder"],
  [/^The tool server (?<server>\S+) may not start '(?<program>[^']*)'\./, "refused_program"],
  [/^The address of the tool server (?<server>\S+) is refused:/, "refused_address"],
  [/^Enter an OpenAI key\b/, "refused_no_key"],
  [/^The endpoint is not an address\./, "refused_no_address"],
  [/^The key contains a character that keys do not have\./, "refused_odd_key"],
  [/^(?<model>.+) is called through a package of its provider\./, "refused_provider"],
  [/^The model's endpoint could not be reached\b/, "refused_unreached"],
  [/^The model's endpoint failed\b/, "refused_model_failed"],
  [/^The endpoint rejected the key\b/, "refused_key"],
  [/^The endpoint knows no such model or path\b/, "refused_model"],
  [/^The endpoint refused for too many requests\b/, "refused_quota"],
  [/^This server requires a token\b/, "refused_no_token"],
  [/^This token is not valid here\b/, "refused_token"],
  [/^This thread has no report yet\b/, "refused_no_report"],
];

/** A refusal of the server as the page says it: settings by the names of the settings form, and in Chinese on the Chinese page.
 *  A message that is not known here stays as it is, and in Chinese is said to be the server's.
 *  `setting` is the message that refuses a setting. */
export function refusal(text, setting = "refused_setting") {
  const refused = /^(?<name>[a-z_]+)(?<part>(?:\.[\w.]+)?) cannot be (?<value>[^]*?): (?<why>[^:]*)\.$/.exec(text)?.groups;
  if (refused) {
    const [pattern, key] = REASONS.find(([known]) => known.test(refused.why)) ?? [];
    const why = key ? say(key, pattern.exec(refused.why).groups) : refused.why;
    return say(setting, { name: named(refused.name) + refused.part, value: refused.value === "used" ? say("refused_used") : refused.value, why });
  }
  for (const [pattern, key] of MESSAGES) {
    const found = pattern.exec(text);
    if (!found) continue;
    const values = { ...found.groups };
    if (values.name) values.name = named(values.name);
    const own = say(key, values);
    if (own) return own;
  }
  const plain = text.replace(/^[a-z_]+(?= (?:cannot be|uses) )/, named);
  return language === "zh" && !/[\u4e00-\u9fff]/.test(plain) ? say("refused_other", { text: plain }) : plain;
}

function named(setting) {
  const label = say(`field_${setting}`);
  return label ? `“${label}”` : setting;
}
