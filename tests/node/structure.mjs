// OpenAI's own Node client with its zod helpers, against the server in OPENAI_BASE_URL.
// Prints one JSON object: what each helper came to.
import OpenAI from "openai";
import { zodResponseFormat, zodTextFormat } from "openai/helpers/zod";
import { z } from "zod";

const openai = new OpenAI({ maxRetries: 0 });
const model = "gpt-4o";
const user = (content) => [{ role: "user", content }];
const Person = z.object({
  name: z.string(),
  age: z.number().int().min(0).max(120),
  email: z.string().email().nullable(),
  mood: z.enum(["good", "bad"]),
  tags: z.array(z.string()),
  address: z.object({ city: z.string(), zip: z.string().regex(/^\d{5}$/) }),
});
const weather = {
  name: "get_weather",
  description: "Get the weather in a city",
  parameters: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  },
};

async function parsed() {
  const completion = await openai.chat.completions.parse({
    model,
    messages: user("Grace is 36 and lives in Oslo"),
    response_format: zodResponseFormat(Person, "person"),
  });
  return Person.parse(completion.choices[0].message.parsed);
}

async function streamed() {
  const stream = openai.chat.completions.stream({
    model,
    messages: user("Grace is 36 and lives in Oslo"),
    response_format: zodResponseFormat(Person, "person"),
  });
  let seen = "";
  stream.on("content.delta", ({ delta, snapshot }) => {
    seen += delta;
    if (seen !== snapshot) throw new Error(`${seen} is not ${snapshot}`);
  });
  const final = await stream.finalChatCompletion();
  if (seen !== final.choices[0].message.content) throw new Error("deltas do not add up");
  return Person.parse(final.choices[0].message.parsed);
}

async function tools(stream) {
  const asked = [];
  const run = openai.chat.completions.runTools({
    model,
    stream,
    messages: user("What's the weather in Oslo?"),
    tools: [
      {
        type: "function",
        function: {
          ...weather,
          parse: JSON.parse,
          function: ({ city }) => {
            asked.push(city);
            return `snow in ${city}`;
          },
        },
      },
    ],
  });
  return { asked, content: await run.finalContent() };
}

async function responses() {
  const format = { format: zodTextFormat(Person, "person") };
  const { output_parsed } = await openai.responses.parse({ model, input: "Grace is 36", text: format });
  const tool = { type: "function", strict: true, ...weather };
  const first = await openai.responses.create({ model, input: "Weather in Oslo?", tools: [tool] });
  const output = { type: "function_call_output", call_id: first.output[0].call_id, output: "snow" };
  const stream = openai.responses.stream({
    model,
    tools: [tool],
    previous_response_id: first.id,
    input: [output],
  });
  const second = await stream.finalResponse();
  return { parsed: Person.parse(output_parsed), types: second.output.map((item) => item.type), text: second.output_text };
}

console.log(
  JSON.stringify({
    parsed: await parsed(),
    streamed: await streamed(),
    tools: await tools(false),
    streamedTools: await tools(true),
    responses: await responses(),
  }),
);
